import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Testing

@Suite("Change of conditions", .tags(.unit))
struct ConditionChangeTests {
    private static let slow = DirectionConditions(
        bandwidth: .megabitsPerSecond(12), queue: .packets(100))

    private static func times(_ events: [PacketEvent]) -> [Double] {
        events.map { $0.time / .milliseconds(1) }
    }

    @Test func `queued packets go at the new bandwidth from now on`() {
        var link = LinkEmulator(Self.slow, seed: 1)
        link.enqueue(0..<4, at: .zero)
        var fast = Self.slow
        fast.bandwidth = .megabitsPerSecond(120)
        // Packet 1 is half through: its rest takes a tenth of what it would have.
        link.change(to: fast, at: .microseconds(1500))
        let events = link.remainingEvents()
        #expect(events.map(\.slot) == [0, 1, 2, 3])
        for (time, expected) in zip(Self.times(events), [1, 1.55, 1.65, 1.75]) {
            #expect(abs(time - expected) < 1e-6)
        }
    }

    @Test func `a slower bandwidth stretches what is left of the packet in transmission`() {
        var link = LinkEmulator(Self.slow, seed: 1)
        link.enqueue(0..<2, at: .zero)
        var slower = Self.slow
        slower.bandwidth = .megabitsPerSecond(6)
        link.change(to: slower, at: .microseconds(250))
        let events = link.remainingEvents()
        #expect(Self.times(events) == [1.75, 3.75])
    }

    @Test func `a bandwidth that ends lets everything out at once`() {
        var link = LinkEmulator(Self.slow, seed: 1)
        link.enqueue(0..<50, at: .zero)
        link.change(to: DirectionConditions(delay: .milliseconds(5)), at: .microseconds(1500))
        let events = link.remainingEvents()
        #expect(events.map(\.slot) == Array(0..<50))
        #expect(Self.times(events) == [1] + Array(repeating: 6.5, count: 49))
    }

    @Test func `a shorter delay does not let packets overtake`() {
        var link = LinkEmulator(
            DirectionConditions(delay: .seconds(2)), dnsDelay: .seconds(2), seed: 1)
        link.enqueue(0..<2, at: .zero)
        link.enqueue(2..<3, isDNS: true, at: .zero)
        link.change(to: DirectionConditions(delay: .milliseconds(10)), at: .seconds(1))
        link.enqueue(3..<4, at: .seconds(1))
        link.enqueue(4..<5, isDNS: true, at: .seconds(1))
        link.enqueue(5..<6, at: .seconds(3))
        let events = link.remainingEvents()
        #expect(events.map(\.slot) == [0, 1, 3, 5, 2, 4])
        #expect(Self.times(events) == [2000, 2000, 2000, 3010, 4000, 4000])
    }

    @Test func `a shorter queue drops what comes, not what waits`() {
        var link = LinkEmulator(Self.slow, seed: 1)
        link.enqueue(0..<50, at: .zero)
        var short = Self.slow
        short.queue = .packets(10)
        link.change(to: short, at: .zero)
        link.enqueue(50..<51, at: .zero)
        let events = link.remainingEvents()
        #expect(events.delivered == Array(0..<50))
        #expect(events.slots(.queueFull) == [50])
    }

    @Test func `from one management to another no packet is lost nor overtakes in its flow`() {
        for old in QueueManagement.allCases {
            for new in QueueManagement.allCases {
                var conditions = Self.slow
                conditions.aqm = old
                var link = LinkEmulator(conditions, seed: 1)
                link.enqueue(0..<20, flow: 1, at: .zero)
                link.enqueue(20..<40, flow: 2, at: .zero)
                conditions.aqm = new
                // Faster too, so that CoDel has no reason to drop.
                conditions.bandwidth = .bitsPerSecond(12_000_000_000)
                link.change(to: conditions, at: .zero)
                let delivered = link.remainingEvents().delivered
                #expect(delivered.filter { $0 < 20 } == Array(0..<20), "\(old) to \(new)")
                #expect(delivered.filter { $0 >= 20 } == Array(20..<40), "\(old) to \(new)")
            }
        }
    }

    @Test func `to a trace and back, the packet in transmission starts again`() throws {
        let trace = try DeliveryTrace(parsing: "10\n20\n")
        let traced = DirectionConditions(queue: .packets(100), trace: "some.trace")
        var link = LinkEmulator(Self.slow, seed: 1)
        link.enqueue(0..<4, at: .zero)
        // The trace begins now.
        link.change(to: traced, trace: trace, at: .microseconds(1500))
        // The same trace again plays on.
        link.change(to: traced, trace: trace, at: .microseconds(2500))
        let early = link.events(until: .milliseconds(25))
        #expect(Self.times(early) == [1, 11.5, 21.5])
        link.change(to: Self.slow, at: .milliseconds(25))
        let late = link.remainingEvents()
        #expect(Self.times(late) == [26])
    }

    @Test func `random changes lose no packet and keep the order`() {
        var random = SeededGenerator(seed: 12)
        for seed in 0..<60 as Range<UInt64> {
            var link = LinkEmulator(conditions(&random), seed: seed)
            var now = Duration.zero
            var events: [PacketEvent] = []
            for slot in 0..<200 as Range<UInt32> {
                link.enqueue(slot..<slot + 1, flow: 7, at: now)
                now += .microseconds(Int.random(in: 0...5000, using: &random))
                if slot.isMultiple(of: 7) { link.change(to: conditions(&random), at: now) }
                events += link.events(until: now)
            }
            events += link.remainingEvents()
            #expect(events.map(\.slot) == Array(0..<200))
            #expect(events.allSatisfy { $0.verdict == .delivered })
        }
    }

    /// Conditions that drop nothing.
    private func conditions(_ random: inout SeededGenerator) -> DirectionConditions {
        var conditions = DirectionConditions(
            delay: .microseconds(Int.random(in: 0...50_000, using: &random)))
        if Bool.random(using: &random) {
            conditions.bandwidth = .kilobitsPerSecond(.random(in: 100...100_000, using: &random))
            conditions.queue = .packets(1000)
        }
        if Bool.random(using: &random) {
            conditions.jitter = Jitter(
                amount: .microseconds(Int.random(in: 0...20_000, using: &random)),
                distribution: Jitter.Distribution.allCases.randomElement(using: &random) ?? .normal)
        }
        return conditions
    }
}
