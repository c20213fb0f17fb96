import KernelPlane
import LinkTesting
import LinkUnits
import Netlink
import Testing

@testable import TrafficControl

/// What a netem is written with, the kernel tells again, except
/// - the table of the distribution, always;
/// - the seed, which kernels before 6.6 neither use nor tell;
/// - jitter beyond 2^31 - 1 ns, where the kernel caps it.
@Suite("Netem and the kernel", .requiresKernel(.netem))
struct NetemKernelTests {
    private static func told(_ netem: Netem, _ found: Netem) -> Netem {
        var expected = netem
        expected.distribution = nil
        if found.seed == nil || netem.seed == nil { expected.seed = found.seed }
        expected.jitter = min(netem.jitter, .nanoseconds(Int32.max))
        return expected
    }

    private static func check(_ bed: KernelSession, _ netem: Netem) throws {
        try bed.execute(KernelSession.qdisc(.netem(netem)).replace())
        guard case .netem(let found)? = try bed.state()?.kind else {
            Issue.record("no netem was found")
            return
        }
        #expect(found == told(netem, found))
    }

    private static let fields: [Netem] = [
        Netem(), Netem(delay: .nanoseconds(1)), Netem(delay: .milliseconds(50)),
        Netem(delay: .seconds(600)), Netem(delay: .milliseconds(50), jitter: .milliseconds(10)),
        Netem(delay: .milliseconds(50), jitter: .milliseconds(10), distribution: .normal),
        Netem(delay: .milliseconds(50), jitter: .milliseconds(10), distribution: .pareto),
        Netem(delay: .milliseconds(50), jitter: .milliseconds(10), distribution: .paretonormal),
        Netem(delay: .seconds(5), jitter: .seconds(3)),
        Netem(loss: .random(.percent(1))), Netem(loss: .random(.one)),
        Netem(loss: .random(Ratio(knownPartsPerBillion: 1))),
        Netem(loss: .gilbert(p: Ratio(knownPartsPerBillion: 1_012_146), r: .percent(25))),
        Netem(loss: .gilbert(p: .one, r: Ratio(knownPartsPerBillion: 1))),
        Netem(duplicate: .percent(2)), Netem(corrupt: .percent(3)),
        Netem(delay: .milliseconds(10), reorder: .percent(25), gap: 5),
        Netem(delay: .milliseconds(10), reorder: .one, gap: 1),
        Netem(rate: .bitsPerSecond(8)), Netem(rate: .megabitsPerSecond(10), packetOverhead: -14),
        Netem(rate: .megabitsPerSecond(10), packetOverhead: 38),
        Netem(rate: .bitsPerSecond(8 * 4_294_967_294)),
        Netem(rate: .bitsPerSecond(8 * 4_294_967_295)),
        Netem(rate: .bitsPerSecond(8 * 4_294_967_296)), Netem(rate: Netem.orderKeepingRate),
        Netem(limit: 1), Netem(limit: 10_000_000), Netem(seed: 42),
    ]

    @Test("Each field is told as it was written, in a fresh netem", arguments: fields.indices)
    func field(index: Int) async throws {
        try await KernelSession.run { try Self.check($0, Self.fields[index]) }
    }

    @Test("Nothing of an earlier setting is left behind by the next, in any order")
    func sequence() async throws {
        try await KernelSession.run { bed in
            var random = SeededGenerator(seed: 11)
            for netem in (Self.fields + Self.fields + Self.fields).shuffled(using: &random) {
                try Self.check(bed, netem)
            }
        }
    }

    @Test("Random settings are told as they were written")
    func randomSettings() async throws {
        try await KernelSession.run { bed in
            var random = SeededGenerator(seed: 12)
            for _ in 0..<300 { try Self.check(bed, Netem(random: &random)) }
        }
    }

    @Test("Jitter beyond what 31 bits of nanoseconds hold is capped there")
    func longJitter() async throws {
        try await KernelSession.run { bed in
            try bed.execute(
                KernelSession.qdisc(.netem(Netem(delay: .seconds(9), jitter: .seconds(4)))).add())
            guard case .netem(let found)? = try bed.state()?.kind else { return }
            #expect(found.jitter == .nanoseconds(2_147_483_647))
        }
    }

    @Test("tc reads what we write", .enabled(if: hasPrograms("tc"), "tc is not installed"))
    func witness() async throws {
        let netem = Netem(
            delay: .milliseconds(32), jitter: .milliseconds(3), distribution: .normal,
            loss: .gilbert(p: .percent(1), r: .percent(25)), corrupt: .percent(3),
            reorder: .percent(2), gap: 5, rate: .megabitsPerSecond(10), packetOverhead: -14,
            limit: 177)
        let text = try await withNewNamespace {
            try KernelSession().execute(KernelSession.qdisc(.netem(netem)).add())
            return try shell("tc qdisc show dev lo")
        }
        for part in [
            "qdisc netem 1c0d: root ", "limit 177", "delay 32ms  3ms",
            "loss gemodel p 1% r 25% 1-h 100% 1-k 0%", "reorder 2%", "corrupt 3%", "rate 10Mbit",
            "packetoverhead -14", "gap 5",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }
}

extension Duration {
    fileprivate static func nanoseconds(_ value: Int32) -> Duration { .nanoseconds(Int64(value)) }
}

extension Netem {
    /// Any emulator, with values of all sizes.
    fileprivate init(random: inout SeededGenerator) {
        func ratio(_ random: inout SeededGenerator) -> Ratio {
            Bool.random(using: &random)
                ? .zero
                : Ratio(knownPartsPerBillion: UInt32(random.nextOfAnySize() % 1_000_000_001))
        }
        self.init()
        delay = .nanoseconds(Int64(random.nextOfAnySize() % 600_000_000_000))
        if Bool.random(using: &random) {
            jitter = .nanoseconds(Int64(random.nextOfAnySize() % 2_000_000_000))
            distribution = DelayDistribution.allCases.randomElement(using: &random)
        }
        loss =
            Bool.random(using: &random)
            ? .random(ratio(&random)) : .gilbert(p: ratio(&random), r: ratio(&random))
        duplicate = ratio(&random)
        corrupt = ratio(&random)
        reorder = ratio(&random)
        if reorder > .zero { gap = UInt32.random(in: 1...1000, using: &random) }
        if Bool.random(using: &random) {
            rate = .bitsPerSecond(8 * (1 + random.nextOfAnySize() % 2_000_000_000_000))
            packetOverhead = Int32.random(in: -14...100, using: &random)
        }
        limit = UInt32.random(in: 1...10_000_000, using: &random)
    }
}
