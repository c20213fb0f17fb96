import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Testing

@Suite("FQ-CoDel", .tags(.unit))
struct FairQueueTests {
    private static let link = DirectionConditions(
        bandwidth: .megabitsPerSecond(12), queue: .packets(1000), aqm: .fqCodel)

    @Test func `flows share the bandwidth by bytes, whatever they ask for and how they cut it`() {
        let loads = [
            ConstantLoad(flow: 1, rate: .megabitsPerSecond(5)),
            ConstantLoad(flow: 2, rate: .megabitsPerSecond(10)),
            ConstantLoad(flow: 3, bytes: 300, rate: .megabitsPerSecond(8)),
        ]
        let all = passages(through: Self.link, loads: loads, for: .seconds(10))
        let steady = all.filter {
            $0.event.verdict.isDelivery && $0.event.time > .seconds(1)
                && $0.event.time <= .seconds(10)
        }
        for flow in 1...3 as ClosedRange<UInt32> {
            let bytes = steady.filter { $0.flow == flow }.reduce(0) { $0 + $1.bytes }
            // 9 s at a third of 12 Mbit/s; a turn more or less is 1,500 bytes and a packet.
            #expect(abs(Double(bytes) - 4_500_000) <= 4500, "flow \(flow): \(bytes)")
        }
    }

    @Test func `a sparse flow does not wait behind bulk flows`() {
        let loads = [
            ConstantLoad(flow: 1, rate: .megabitsPerSecond(20)),
            ConstantLoad(flow: 2, rate: .megabitsPerSecond(20)),
            // A packet of 100 bytes every 20 ms.
            ConstantLoad(
                flow: 3, bytes: 100, rate: .kilobitsPerSecond(40), start: .microseconds(12_345)),
        ]
        let sparse = passages(through: Self.link, loads: loads, for: .seconds(10))
            .filter { $0.flow == 3 }
        #expect(sparse.count == 500)
        #expect(sparse.allSatisfy { $0.event.verdict == .delivered })
        // The packet in transmission, and its own 67 us.
        #expect(sparse.allSatisfy { $0.wait <= 1.07 })
    }

    @Test func `a flow that comes back as soon as it is through waits every other time`() {
        var emulator = LinkEmulator(Self.link, seed: 1)
        for flow in 0..<4 as Range<UInt32> {
            emulator.enqueue(flow * 100..<flow * 100 + 20, flow: flow + 1, at: .zero)
        }
        var sent: UInt32 = 1000
        emulator.enqueue(sent..<sent + 1, bytes: 100, flow: 9, at: .zero)
        while let now = emulator.nextEvent, now < .milliseconds(60) {
            for event in emulator.events(until: now) where event.slot == sent {
                sent += 1
                emulator.enqueue(sent..<sent + 1, bytes: 100, flow: 9, at: now)
            }
        }
        // Two in each turn of the four others, of 4 ms: once as a new flow, and once behind them.
        // As a new flow each time it would be one per ms.
        #expect((24...30).contains(sent - 1000))
    }

    @Test func `an overflow is paid for by the flow with the most bytes`() {
        var short = Self.link
        short.queue = .packets(100)
        var emulator = LinkEmulator(short, seed: 1)
        emulator.enqueue(0..<5, flow: 1, at: .zero)
        emulator.enqueue(5..<155, flow: 2, at: .zero)
        #expect(emulator.counters.queuedPackets <= 101)
        let events = emulator.remainingEvents()
        #expect(events.slots(.queueFull).allSatisfy { $0 >= 5 })
        // From the head, a batch of at most half of it: the newest got in.
        #expect(events.slots(.queueFull).first == 5)
        #expect(events.delivered.contains(154))
    }

    @Test func `within a flow the order is kept`() {
        let loads = [1, 2, 3].map { ConstantLoad(flow: $0, rate: .megabitsPerSecond(6)) }
        let all = passages(through: Self.link, loads: loads, for: .seconds(3))
        for flow in 1...3 as ClosedRange<UInt32> {
            let slots = all.filter { $0.flow == flow && $0.event.verdict.isDelivery }
                .map(\.event.slot)
            #expect(slots == slots.sorted())
        }
    }

    @Test func `consecutive flow numbers go to queues of their own`() {
        // All in one queue, or in few, would leave with the first flows first.
        var emulator = LinkEmulator(Self.link, seed: 1)
        for flow in 0..<64 as Range<UInt32> {
            emulator.enqueue(flow * 2..<flow * 2 + 2, flow: flow, at: .zero)
        }
        let firstHalf = emulator.remainingEvents().delivered.prefix(64)
        #expect(Set(firstHalf.map { $0 / 2 }).count >= 60)
    }
}
