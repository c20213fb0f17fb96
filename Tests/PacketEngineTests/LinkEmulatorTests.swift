import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Testing

@Suite("Link emulator", .tags(.unit))
struct LinkEmulatorTests {
    @Test func `a link that only delays delivers in order, each packet after the delay`() {
        var link = LinkEmulator(DirectionConditions(delay: .milliseconds(40)), seed: 1)
        for slot in 0..<3 as Range<UInt32> {
            link.enqueue(slot..<slot + 1, at: .milliseconds(Int(slot)))
        }
        #expect(link.nextEvent == .milliseconds(40))
        let tooEarly = link.nextVerdict(at: .milliseconds(39))
        #expect(tooEarly == nil)
        let events = link.events(until: .seconds(1))
        #expect(events.map(\.slot) == [0, 1, 2])
        #expect(events.map(\.time) == [40, 41, 42].map { .milliseconds($0) })
        #expect(link.nextEvent == nil)
    }

    @Test func `a perfect link passes packets at once`() {
        var link = LinkEmulator(DirectionConditions(), seed: 1)
        link.enqueue(0..<3, at: .seconds(5))
        #expect(link.nextEvent == .seconds(5))
        let events = link.events(until: .seconds(5))
        #expect(events.map(\.time) == [.seconds(5), .seconds(5), .seconds(5)])
    }

    @Test func `DNS has its delay on a line of its own, and only where there is one`() {
        var link = LinkEmulator(
            DirectionConditions(delay: .milliseconds(10)), dnsDelay: .seconds(3), seed: 1)
        link.enqueue(0..<2, isDNS: true, at: .zero)
        link.enqueue(2..<3, at: .milliseconds(1))
        let events = link.events(until: .seconds(4))
        #expect(events.map(\.slot) == [2, 0, 1])
        #expect(events.map(\.time) == [11, 3010, 3010].map { .milliseconds($0) })

        var plain = LinkEmulator(DirectionConditions(delay: .milliseconds(10)), seed: 1)
        plain.enqueue(0..<1, isDNS: true, at: .zero)
        #expect(plain.nextEvent == .milliseconds(10))
    }

    @Test func `DNS shares bandwidth and loss with everything else`() {
        let bottleneck = DirectionConditions(bandwidth: .megabitsPerSecond(12))
        var link = LinkEmulator(bottleneck, dnsDelay: .seconds(1), seed: 1)
        link.enqueue(0..<1, isDNS: true, at: .zero)
        link.enqueue(1..<2, at: .zero)
        let events = link.remainingEvents()
        #expect(events.map(\.time) == [.milliseconds(2), .milliseconds(1001)])

        let blackhole = LinkConditions(isBlackhole: true).withExplicitLoss
        var nothing = LinkEmulator(blackhole.up, dnsDelay: .seconds(1), seed: 1)
        nothing.enqueue(0..<4, isDNS: true, at: .zero)
        let lost = nothing.remainingEvents()
        #expect(lost.slots(.lost) == [0, 1, 2, 3])
    }

    @Test func `a drop is told as soon as it is known, before what leaves later`() {
        var link = LinkEmulator(
            DirectionConditions(
                bandwidth: .megabitsPerSecond(12), delay: .milliseconds(50), queue: .packets(2)),
            seed: 1)
        link.enqueue(0..<3, at: .milliseconds(7))
        #expect(link.nextEvent == .milliseconds(7))
        let drop = PacketEvent(slot: 2, verdict: .queueFull, time: .milliseconds(7))
        let events = link.events(until: .milliseconds(7))
        #expect(events == [drop])
        #expect(link.nextEvent == .milliseconds(58))
    }

    @Test(arguments: [
        (DirectionConditions(), false),
        (DirectionConditions(delay: .seconds(1), jitter: Jitter(amount: .seconds(1))), false),
        (DirectionConditions(loss: .random(.one)), false),
        (DirectionConditions(loss: .random(.percent(1))), true),
        (DirectionConditions(loss: .bursts(mean: .percent(1), burst: 4)), true),
        (DirectionConditions(bandwidth: .megabitsPerSecond(1)), true),
        (DirectionConditions(loss: .random(.one), trace: "cable.trace"), true),
        (DirectionConditions(duplicate: .percent(1)), true),
        (DirectionConditions(corrupt: .percent(1)), true),
        (
            DirectionConditions(delay: .seconds(1), reorder: Reordering(mean: .percent(1))), true
        ),
    ])
    func `super-packets are cut only where their parts could fare differently`(
        conditions: DirectionConditions, isCut: Bool
    ) {
        #expect(LinkEmulator(conditions, seed: 1).treatsPacketsSingly == isCut)
    }

    @Test func `counters tell what became of the packets`() {
        var link = LinkEmulator(
            DirectionConditions(
                bandwidth: .megabitsPerSecond(12), duplicate: .one, corrupt: .one,
                queue: .packets(3)), seed: 1)
        link.enqueue(0..<5, at: .zero)
        _ = link.events(until: .microseconds(1500))
        let counters = link.counters
        #expect(counters.arrivedPackets == 5 && counters.arrivedBytes.bytes == 7500)
        #expect(counters.deliveredPackets == 2 && counters.deliveredBytes.bytes == 3000)
        #expect(counters.duplicatedPackets == 1 && counters.corruptedPackets == 1)
        #expect(counters.queueFullPackets == 2 && counters.droppedPackets == 2)
        #expect(counters.queuedPackets == 2 && counters.queuedBytes.bytes == 3000)
        #expect(counters.longestQueue == 3 && counters.heldPackets == 2)
    }

    @Test func `tells the least time that a packet takes`() {
        var conditions = DirectionConditions()
        #expect(LinkEmulator(conditions, seed: 1).leastDelay == .zero)
        conditions.delay = .milliseconds(40)
        #expect(LinkEmulator(conditions, seed: 1).leastDelay == .milliseconds(40))
        conditions.jitter = Jitter(amount: .milliseconds(10), distribution: .uniform)
        #expect(LinkEmulator(conditions, seed: 1).leastDelay == .milliseconds(30))
        conditions.jitter = Jitter(amount: .milliseconds(90), distribution: .uniform)
        #expect(LinkEmulator(conditions, seed: 1).leastDelay == .zero, "nobody arrives early")
    }
}
