import LinkModel
import LinkUnits
import PacketEngine
import Testing

@Suite("CoDel")
struct CoDelTests {
    private static let link = DirectionConditions(
        bandwidth: .megabitsPerSecond(12), queue: .packets(1000), aqm: .codel)

    @Test func `a burst that drains in time loses nothing`() {
        var emulator = LinkEmulator(Self.link, seed: 1)
        emulator.enqueue(0..<100, at: .zero)
        // 99 packets wait for up to 99 ms, less than an interval above the target of 5 ms.
        let events = emulator.remainingEvents()
        #expect(events.delivered.count == 100)
    }

    @Test func `drops begin after an interval and come faster with the root of their number`() {
        // 1,000 packets at 1 ms each: above the target for good.
        var emulator = LinkEmulator(Self.link, seed: 1)
        emulator.enqueue(0..<1000, at: .zero)
        let drops = emulator.remainingEvents().filter { $0.verdict == .managed }
        let times = drops.map { $0.time / .milliseconds(1) }
        // Packet 5 is the first that waited 5 ms; 100 ms later the first one goes.
        var expected = [105.0]
        var next = 105.0 + 100
        for count in 2...20 {
            expected.append(next.rounded(.up))
            next += 100 / Double(count).squareRoot()
        }
        #expect(Array(times.prefix(expected.count)) == expected)
    }

    @Test func `an overload of 5 % is held near the target, where drop-tail fills the queue`() {
        let loads = [ConstantLoad(flow: 1, rate: .kilobitsPerSecond(12_600))]
        let steady = Duration.seconds(10)..<Duration.seconds(40)
        let managed = passages(through: Self.link, loads: loads, for: .seconds(40))
        let waits = managed.waits(arrivedIn: steady)
        #expect(moments(waits).mean < 25)
        #expect(managed.times(.queueFull).isEmpty)

        var dropTail = Self.link
        dropTail.aqm = .dropTail
        let full = passages(through: dropTail, loads: loads, for: .seconds(40))
        #expect(moments(full.waits(arrivedIn: .seconds(25)..<Duration.seconds(40))).mean > 900)
    }

    @Test func `a queue of one packet is never too long, however slow the link`() {
        var slow = Self.link
        slow.bandwidth = .kilobitsPerSecond(64)
        // 187.5 ms of transmission each, one at a time in the queue.
        let loads = [ConstantLoad(flow: 1, rate: .kilobitsPerSecond(63))]
        let passages = passages(through: slow, loads: loads, for: .seconds(60))
        #expect(passages.times(.managed).isEmpty && passages.times(.queueFull).isEmpty)
    }

    @Test func `a full queue still drops what comes`() {
        var short = Self.link
        short.queue = .packets(10)
        var emulator = LinkEmulator(short, seed: 1)
        emulator.enqueue(0..<20, at: .zero)
        // The one in transmission does not count, as behind the kernel's shaper.
        #expect(emulator.counters.queuedPackets == 11)
    }
}
