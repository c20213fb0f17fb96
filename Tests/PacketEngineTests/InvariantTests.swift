import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Testing

@Suite("Invariants of the link emulator", .tags(.unit))
struct InvariantTests {
    /// A link with everything that must hold checked at each step.
    private struct CheckedLink {
        var link: LinkEmulator
        var now = Duration.zero
        private var held: [UInt32: Packet] = [:]
        private var last = Duration.zero
        private var lastDelivered: [Bool: UInt32] = [:]
        private(set) var breaches: Set<String> = []
        /// Whether ordinary packets may overtake each other.
        var mayReorder = false

        init(_ random: RandomConditions, seed: UInt64) {
            link = LinkEmulator(
                random.conditions, dnsDelay: random.dnsDelay, trace: random.trace, seed: seed)
            mayReorder = random.mayReorder
        }

        mutating func enqueue(_ packet: Packet) {
            held[packet.slot] = packet
            link.enqueue(packet, at: now)
        }

        /// Takes all events up to `time`, having waited for them as the link says.
        mutating func advance(to time: Duration) {
            let announced = link.nextEvent
            now = time
            while let event = link.nextVerdict(at: now) { check(event, announced: announced) }
            if let next = link.nextEvent, next <= now { breaches.insert("an event was left") }
        }

        private mutating func check(_ event: PacketEvent, announced: Duration?) {
            if event.time > now { breaches.insert("an event before its time") }
            if event.time < last { breaches.insert("an event out of order") }
            last = max(last, event.time)
            if event.verdict.isDelivery, announced.map({ event.time < $0 }) ?? true {
                breaches.insert("a departure that was not announced")
            }
            guard let packet = held[event.slot] else {
                breaches.insert("an event of a packet that is gone")
                return
            }
            if case .corrupted(let bit) = event.verdict, bit >= packet.length.bytes * 8 {
                breaches.insert("a bit outside the packet")
            }
            if !event.releasesSlot {
                if !event.verdict.isDelivery { breaches.insert("a copy of a dropped packet") }
                return
            }
            held[event.slot] = nil
            guard event.verdict.isDelivery, !mayReorder else { return }
            // Slots rise with arrival; DNS has a line of its own, FQ-CoDel none per link.
            if let before = lastDelivered[packet.isDNS], before > event.slot {
                breaches.insert("a packet overtook another")
            }
            lastDelivered[packet.isDNS] = event.slot
        }

        mutating func finish() {
            now += .seconds(1_000_000_000)
            while let event = link.nextVerdict(at: now) { check(event, announced: .zero) }
            if !held.isEmpty { breaches.insert("a packet without an end") }
            let counters = link.counters
            if counters.heldPackets != 0 || counters.queuedPackets != 0
                || counters.queuedBytes != ByteCount(bytes: 0)
            {
                breaches.insert("counters say that something is left")
            }
            if link.nextEvent != nil { breaches.insert("an event of an empty link") }
        }
    }

    @Test(arguments: [false, true])
    func `each packet has one end, in order and in time, under any conditions`(
        areChanging: Bool
    ) throws {
        var random = SeededGenerator(seed: areChanging ? 77 : 78)
        for seed in 0..<300 as Range<UInt64> {
            let first = try RandomConditions(&random)
            var link = CheckedLink(first, seed: seed)
            var slot: UInt32 = 0
            for step in 0..<60 {
                for _ in 0..<Int.random(in: 0...8, using: &random) {
                    link.enqueue(
                        Packet(
                            slot: slot,
                            length: ByteCount(bytes: .random(in: 0...3000, using: &random)),
                            flow: .random(in: 0...5, using: &random),
                            isDNS: .random(using: &random)))
                    slot += 1
                }
                if areChanging, step.isMultiple(of: 9) {
                    let next = try RandomConditions(&random)
                    link.mayReorder = true
                    link.link.change(
                        to: next.conditions, dnsDelay: next.dnsDelay, trace: next.trace,
                        at: link.now)
                }
                link.advance(to: link.now + .nanoseconds(random.nextOfAnySize() >> 34))
            }
            link.finish()
            #expect(link.breaches.isEmpty, "seed \(seed): \(first)")
        }
    }

    @Test func `arrived packets are delivered, dropped or held, at every moment`() throws {
        var random = SeededGenerator(seed: 5)
        for seed in 0..<100 as Range<UInt64> {
            let conditions = try RandomConditions(&random)
            var link = LinkEmulator(
                conditions.conditions, dnsDelay: conditions.dnsDelay, trace: conditions.trace,
                seed: seed)
            var open: Set<UInt32> = []
            for slot in 0..<200 as Range<UInt32> {
                let now = Duration.microseconds(Int(slot) * 300)
                link.enqueue(slot..<slot + 1, bytes: 700, flow: slot % 3, at: now)
                open.insert(slot)
                for event in link.events(until: now) where event.releasesSlot {
                    open.remove(event.slot)
                }
                let counters = link.counters
                #expect(counters.arrivedPackets == UInt64(slot) + 1)
                #expect(counters.heldPackets == UInt64(open.count))
                #expect(counters.queuedPackets <= open.count)
                #expect(counters.deliveredBytes.bytes == counters.deliveredPackets * 700)
            }
        }
    }

    @Test(arguments: [UInt64(1), 8, 1_000_000, UInt64.max])
    func `no value of a condition or a packet is too large`(bitsPerSecond: UInt64) {
        let huge = Duration.seconds(Int64.max)
        for aqm in QueueManagement.allCases {
            for queue in [
                QueueLimit.packets(.max), .packets(-1), .bytes(ByteCount(bytes: .max)),
                .time(huge), .time(.seconds(-5)),
            ] {
                let conditions = DirectionConditions(
                    bandwidth: .bitsPerSecond(bitsPerSecond), delay: huge,
                    jitter: Jitter(amount: huge, distribution: .pareto), duplicate: .one,
                    corrupt: .one, reorder: Reordering(mean: .percent(50), gap: .max),
                    queue: queue, aqm: aqm)
                var link = LinkEmulator(conditions, dnsDelay: huge, seed: .max)
                for (slot, bytes) in [0, 1, 1500, UInt64.max, UInt64.max].enumerated() {
                    link.enqueue(
                        Packet(
                            slot: UInt32(slot), length: ByteCount(bytes: bytes), flow: .max,
                            isDNS: slot == 2), at: .seconds(slot))
                }
                _ = link.events(until: .seconds(1000))
                link.change(to: DirectionConditions(), at: .seconds(2000))
                let events = link.events(until: .seconds(1_000_000_000_000_000))
                #expect(link.nextEvent == nil && link.counters.heldPackets == 0)
                #expect(events.allSatisfy { $0.time >= .zero })
            }
        }
    }

    @Test func `time that does not advance, or goes back, is the latest time`() {
        var link = LinkEmulator(
            DirectionConditions(bandwidth: .megabitsPerSecond(12), delay: .milliseconds(1)),
            seed: 1)
        link.enqueue(0..<2, at: .seconds(1))
        link.enqueue(2..<3, at: .milliseconds(500))
        link.enqueue(3..<4, at: .seconds(-1))
        let early = link.events(until: .zero)
        #expect(early.isEmpty)
        let events = link.remainingEvents()
        #expect(events.map(\.time) == [1002, 1003, 1004, 1005].map { .milliseconds($0) })
    }
}

extension RandomConditions {
    /// Whether packets may overtake each other on their ways: on purpose, or between flows.
    fileprivate var mayReorder: Bool {
        conditions.reorder != nil || conditions.aqm == .fqCodel
    }
}
