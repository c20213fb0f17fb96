import LinkModel
import LinkTesting
import LinkUnits
import LinuxKernel
import Testing

@testable import Explanation
@testable import Learning

@Suite("What is learned from captures with fates", .tags(.unit))
struct FateAnalysisTests {
    private var analysis = FateAnalysis()

    private mutating func take(
        _ count: Int = 1, length: Int = 1500, delay: Duration = .milliseconds(20),
        transmission: Duration = .milliseconds(1), drop: PacketFate.Drop? = nil
    ) {
        for _ in 0..<count {
            let socket = SocketName(address: IPAddress(ipv4: 0xc000_0201), port: 9)
            var fate = PacketFate()
            fate.drop = drop
            fate.delay = delay + transmission
            (fate.queueing, fate.transmission) = (.zero, transmission)
            let packet = CapturedPacket(
                number: 1, linkNumber: nil, direction: .up, sent: .seconds(1), fate: fate,
                source: socket, destination: socket, transport: .udp, payloadLength: length - 28,
                payload: [])
            analysis.take(packet, length: length)
        }
    }

    private var learned: LearnedDirection {
        var learned = analysis.learned(.up)
        learned.leaveOutImpossible()
        return learned
    }

    @Test
    mutating func `packets that agree give bandwidth and delay`() {
        take(2)
        #expect(learned.conditions.bandwidth == .megabitsPerSecond(12))
        #expect(learned.conditions.delay == .milliseconds(20))
        #expect(learned.values.first?.how.contains("2 packets") == true)
    }

    @Test
    mutating func `one packet is no estimate`() {
        take()
        #expect(learned.conditions == DirectionConditions())
        for field in ["bandwidth", "delay"] {
            let value = learned.values.first { $0.field == field }
            #expect(value?.sureness == .notVisible)
            #expect(value?.how.contains("one packet is too few") == true)
        }
    }

    @Test
    mutating func `one packet that was lost is no link that loses all`() {
        take(drop: .lost)
        #expect(learned.conditions.loss == .none)
        #expect(learned.values.first { $0.field == "loss" }?.text == nil)
    }

    @Test
    mutating func `one damaged packet does not outweigh the others`() {
        take(100)
        take(length: 500_000)
        take(transmission: .seconds(40))
        #expect(learned.conditions.bandwidth == .megabitsPerSecond(12))
    }

    @Test
    mutating func `what no profile can say is left out`() throws {
        take(3, length: 500_000_000, delay: .seconds(700), transmission: .microseconds(6))
        #expect(learned.conditions.problem == nil)
        #expect(learned.conditions.delay == .zero)
        #expect(learned.conditions.bandwidth == nil)
        let bandwidth = try #require(learned.values.first { $0.field == "bandwidth" })
        #expect(bandwidth.sureness == .notVisible && bandwidth.text == nil)
        #expect(bandwidth.how.contains("left out, since"))
    }

    @Test
    mutating func `a queue without a bandwidth to fill it is left out`() {
        for number in 1...20 { take(transmission: .milliseconds(number)) }
        for _ in 0..<3 { take(drop: .queueFull) }
        take(drop: .managed)
        let conditions = analysis.learned(.up).conditions
        #expect(conditions.bandwidth == nil && conditions.queue != nil)
        #expect(conditions.problem != nil)
        #expect(learned.conditions.problem == nil)
        #expect(learned.conditions.queue == nil)
    }
}
