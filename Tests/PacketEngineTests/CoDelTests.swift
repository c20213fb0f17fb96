import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import PacketEngine

@Suite("CoDel", .tags(.unit))
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

    @Test func `a queue that fills again soon is dropped from at the rate last reached`() {
        var codel = CoDel()
        var queue = PacketQueue()
        var drops = DropLog()
        var dropped: [Double] = []
        /// A packet leaves every millisecond, having waited so long.
        func serve(_ milliseconds: Range<Int>, wait: Duration) {
            for millisecond in milliseconds {
                let now = Duration.milliseconds(millisecond)
                queue = PacketQueue()
                for slot in 0..<4 as Range<UInt32> {
                    queue.append(
                        Packet(slot: slot, length: ByteCount(bytes: 1500)), at: now - wait)
                }
                _ = codel.dequeue(from: &queue, at: now, drops: &drops)
                while let time = drops.nextTime {
                    dropped.append(time / .milliseconds(1))
                    _ = drops.removeFirst()
                }
            }
        }
        serve(0..<1000, wait: .milliseconds(50))
        let count = dropped.count
        #expect(dropped.first == 100 && count > 20)
        // Below the target for a moment: dropping ends, and begins after an interval.
        serve(1000..<1001, wait: .zero)
        dropped = []
        serve(1001..<1300, wait: .milliseconds(50))
        let distance = 100 / Double(count - 1).squareRoot()
        #expect(dropped[0] == 1101)
        #expect(dropped[1] == (1101 + distance).rounded(.up))
        // Long after, it begins as at first.
        serve(1300..<1301, wait: .zero)
        serve(1301..<4000, wait: .zero)
        dropped = []
        serve(4000..<4300, wait: .milliseconds(50))
        #expect(dropped == [4100, 4200, 4271])
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
