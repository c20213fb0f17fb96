import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Testing

@Suite("Bottleneck", .tags(.unit))
struct BottleneckTests {
    /// When the last byte of `bytes` bytes is through that start at 0, in nanoseconds.
    private static func end(of bytes: UInt64, at rate: Bandwidth) -> Double {
        Double(UInt128(bytes) * 8_000_000_000_000 / UInt128(rate.bitsPerSecond)) / 1000
    }

    @Test(arguments: [(50_000_000, 1_000_000), (48_731_977, 50_000), (7_000_003, 50_000)])
    func `a million packets are on schedule to the nanosecond, however late the caller wakes`(
        bitsPerSecond: UInt64, count: UInt64
    ) {
        let rate = Bandwidth.bitsPerSecond(bitsPerSecond)
        var link = LinkEmulator(
            DirectionConditions(bandwidth: rate, queue: .packets(1000)), seed: 1)
        var random = SeededGenerator(seed: 1)
        var sent: UInt32 = 0
        var arrived: UInt64 = 0
        var worst = 0.0
        var now = Duration.zero
        let halfQueue = rate.serializationDelay(of: ByteCount(bytes: 1401 * 500))
        while arrived < count {
            let free = 1000 - UInt32(link.counters.queuedPackets)
            link.enqueue(sent..<sent + free, bytes: 1401, at: now)
            sent += free
            now += halfQueue * Double.random(in: 0...1.9, using: &random)
            while let event = link.nextVerdict(at: now) {
                arrived += 1
                let time = Double(event.time / .nanoseconds(1))
                worst = max(worst, abs(time - Self.end(of: arrived * 1401, at: rate)))
            }
        }
        #expect(worst <= 1)
    }

    @Test func `the time in which something is in transmission adds up`() {
        var link = LinkEmulator(
            DirectionConditions(bandwidth: .megabitsPerSecond(12), delay: .seconds(1)), seed: 1)
        #expect(link.meanBandwidth == .megabitsPerSecond(12))
        link.enqueue(0..<3, at: .milliseconds(10))
        #expect(link.timeUsed == .zero)
        _ = link.nextVerdict(at: .microseconds(11_500))
        #expect(link.timeUsed == .microseconds(1500))
        _ = link.nextVerdict(at: .milliseconds(50))
        #expect(link.timeUsed == .milliseconds(3))
        link.enqueue(3..<4, at: .milliseconds(60))
        link.change(
            to: DirectionConditions(bandwidth: .megabitsPerSecond(6)), at: .microseconds(60_500))
        _ = link.nextVerdict(at: .milliseconds(100))
        #expect(link.timeUsed == .microseconds(4500))
        #expect(LinkEmulator(DirectionConditions(), seed: 1).meanBandwidth == nil)
    }

    @Test func `an idle link starts when a packet arrives`() {
        var link = LinkEmulator(
            DirectionConditions(bandwidth: .megabitsPerSecond(12)), seed: 1)
        link.enqueue(0..<2, at: .milliseconds(10))
        link.enqueue(2..<3, at: .milliseconds(20))
        let events = link.remainingEvents()
        #expect(events.map(\.time) == [11, 12, 21].map { .milliseconds($0) })
    }

    @Test(arguments: [
        (QueueLimit.packets(5), 5), (.packets(1), 1), (.bytes(ByteCount(bytes: 4500)), 3),
        (.bytes(ByteCount(bytes: 4499)), 2), (.bytes(ByteCount(bytes: 1)), 1),
        (.time(.milliseconds(8)), 8), (nil, 100), (.packets(0), 1), (.time(.zero), 1),
    ])
    func `the queue with the packet in transmission holds its limit`(
        limit: QueueLimit?, held: Int
    ) {
        var link = LinkEmulator(
            DirectionConditions(bandwidth: .megabitsPerSecond(12), queue: limit), seed: 1)
        link.enqueue(0..<200, at: .zero)
        #expect(link.counters.queuedPackets == held)
        #expect(link.counters.longestQueue == held)
        // The newest are dropped.
        let events = link.remainingEvents()
        #expect(events.delivered == Array(0..<UInt32(held)))
        #expect(events.slots(.queueFull) == Array(UInt32(held)..<200))
    }

    @Test func `a queue in bytes holds many small packets, one in packets does not`() {
        let rate = Bandwidth.megabitsPerSecond(12)
        var bytes = LinkEmulator(
            DirectionConditions(bandwidth: rate, queue: .bytes(ByteCount(bytes: 15_000))), seed: 1)
        bytes.enqueue(0..<300, bytes: 100, at: .zero)
        #expect(bytes.counters.queuedPackets == 150)
        var packets = LinkEmulator(
            DirectionConditions(bandwidth: rate, queue: .packets(10)), seed: 1)
        packets.enqueue(0..<300, bytes: 100, at: .zero)
        #expect(packets.counters.queuedPackets == 10)
    }

    @Test func `a lost packet has used its bandwidth`() {
        var link = LinkEmulator(
            DirectionConditions(
                bandwidth: .megabitsPerSecond(12), loss: .random(.percent(50)),
                queue: .packets(1000)), seed: 1)
        link.enqueue(0..<1000, at: .zero)
        let events = link.remainingEvents()
        #expect(events.count == 1000 && events.slots(.lost).count > 400)
        #expect(events.allSatisfy { $0.time == .milliseconds(Int($0.slot) + 1) })
    }

    @Test func `room is made by the schedule, not by when the caller asks`() {
        var link = LinkEmulator(
            DirectionConditions(bandwidth: .megabitsPerSecond(12), queue: .packets(2)), seed: 1)
        link.enqueue(0..<2, at: .zero)
        // Nobody has asked since; the first packet has left by the schedule.
        link.enqueue(2..<3, at: .milliseconds(1))
        let events = link.remainingEvents()
        #expect(events.delivered == [0, 1, 2])
    }

    @Test func `without a bandwidth nothing queues, and the delay line never drops`() {
        var link = LinkEmulator(DirectionConditions(delay: .seconds(600)), seed: 1)
        link.enqueue(0..<100_000, at: .zero)
        #expect(link.counters.longestQueue <= 1)
        let events = link.remainingEvents()
        #expect(events.delivered.count == 100_000)
    }
}
