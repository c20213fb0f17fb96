import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Testing

@Suite("Determinism", .tags(.unit))
struct DeterminismTests {
    /// One run with every effect there is, and changes under way.
    private static func everything(seed: UInt64, aqm: QueueManagement) throws -> String {
        var conditions = DirectionConditions(
            bandwidth: .bitsPerSecond(7_654_321), delay: .milliseconds(20),
            jitter: Jitter(amount: .milliseconds(4), distribution: .paretonormal),
            loss: .bursts(mean: .percent(5), burst: 3), duplicate: .percent(5),
            corrupt: .percent(5), reorder: Reordering(mean: .percent(20), gap: 4),
            queue: .packets(40), aqm: aqm)
        var link = LinkEmulator(conditions, dnsDelay: .milliseconds(30), seed: seed)
        var random = SeededGenerator(seed: 1)
        var now = Duration.zero
        var text = "# aqm \(aqm.rawValue), seed \(seed): nanosecond, packet, verdict\n"
        func take(_ events: [PacketEvent]) {
            for event in events {
                let nanosecond = event.time / .nanoseconds(1)
                text += "\(Int64(nanosecond)) \(event.slot) \(event.verdict)"
                text += event.releasesSlot ? "\n" : " copy\n"
            }
        }
        for slot in 0..<400 as Range<UInt32> {
            link.enqueue(
                Packet(
                    slot: slot, length: ByteCount(bytes: .random(in: 40...1500, using: &random)),
                    flow: slot % 3, isDNS: slot.isMultiple(of: 20)), at: now)
            if slot == 200 {
                conditions.jitter = Jitter(amount: .milliseconds(2), distribution: .normal)
                conditions.bandwidth = .bitsPerSecond(9_876_543)
                link.change(to: conditions, dnsDelay: .milliseconds(10), at: now)
            } else if slot == 300 {
                conditions.jitter?.distribution = .pareto
                conditions.bandwidth = nil
                let trace = try DeliveryTrace(parsing: "1\n1\n3\n7\n8\n8\n")
                link.change(to: conditions, trace: trace, at: now)
            }
            now += .microseconds(.random(in: 0...1200, using: &random))
            take(link.events(until: now))
        }
        take(link.remainingEvents())
        return text
    }

    @Test func `the same seed and packets have the same fate, on every machine`() throws {
        let text = try QueueManagement.allCases.map { try Self.everything(seed: 42, aqm: $0) }
            .joined()
        try Golden("everything.txt").expect(text)
        #expect(
            try Self.everything(seed: 43, aqm: .codel) != Self.everything(seed: 42, aqm: .codel))
    }

    @Test func `a copy of the link has the same future`() {
        var link = LinkEmulator(
            DirectionConditions(
                bandwidth: .megabitsPerSecond(1), delay: .milliseconds(5),
                jitter: Jitter(amount: .milliseconds(3)), loss: .random(.percent(30))), seed: 9)
        link.enqueue(0..<20, at: .zero)
        var copy = link
        let one = link.remainingEvents()
        let other = copy.remainingEvents()
        #expect(one == other)
    }
}
