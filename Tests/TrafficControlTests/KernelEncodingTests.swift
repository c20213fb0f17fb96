import LinkTesting
import LinkUnits
import Testing

@testable import TrafficControl

@Suite("Kernel encodings", .tags(.unit))
struct KernelEncodingTests {
    // MARK: Time

    @Test(
        "A time is counted in whole ticks of 64 ns",
        arguments: [
            (Duration.zero, UInt32(0)), (.nanoseconds(63), 0), (.nanoseconds(64), 1),
            (.nanoseconds(127), 1), (.microseconds(1), 15), (.milliseconds(1), 15_625),
            (.seconds(1), 15_625_000), (.nanoseconds(64 * 0xffff_ffff), .max),
            (.seconds(275), .max), (.seconds(600), .max), (.seconds(9_000_000_000), .max),
        ])
    func ticks(duration: Duration, expected: UInt32) {
        #expect(KernelEncoding.ticks(duration) == expected)
    }

    @Test("A time comes back less than a tick shorter")
    func tickRoundTrip() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<10_000 {
            let time = Duration.nanoseconds(
                Int64(random.nextOfAnySize() % (64 * 0xffff_ffff)))
            let back = KernelEncoding.duration(ticks: KernelEncoding.ticks(time))
            #expect(back <= time && time - back < .nanoseconds(64))
        }
        for ticks: UInt32 in [0, 1, 15_625, .max] {
            #expect(KernelEncoding.ticks(KernelEncoding.duration(ticks: ticks)) == ticks)
        }
    }

    // MARK: Probability

    @Test(
        "A probability is a share of 2^32 - 1, rounded to the nearest",
        arguments: [
            (.zero, 0), (.one, .max), (.percent(50), 0x8000_0000),
            (.percent(1), 42_949_673), (Ratio(knownPartsPerBillion: 1), 4),
            (Ratio(knownPartsPerBillion: 999_999_999), 4_294_967_291),
        ] as [(Ratio, UInt32)])
    func probabilities(ratio: Ratio, expected: UInt32) {
        #expect(KernelEncoding.probability(ratio) == expected)
    }

    @Test("Every share that can be written comes back as it was")
    func probabilityRoundTrip() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let ratio = Ratio(
                knownPartsPerBillion: UInt32(random.nextOfAnySize() % 1_000_000_001))
            #expect(
                KernelEncoding.ratio(probability: KernelEncoding.probability(ratio)) == ratio)
        }
        for parts in UInt32(0)...1000 {
            for ratio in [parts, 1_000_000_000 - parts].map(Ratio.init(knownPartsPerBillion:)) {
                #expect(
                    KernelEncoding.ratio(probability: KernelEncoding.probability(ratio)) == ratio)
            }
        }
    }

    @Test("Every number of the kernel is some share, none above 100 %")
    func foreignProbabilities() {
        #expect(KernelEncoding.ratio(probability: .max) == .one)
        #expect(KernelEncoding.ratio(probability: .max - 1) == .one)
        #expect(KernelEncoding.ratio(probability: 1) == .zero)
        #expect(KernelEncoding.ratio(probability: 3).partsPerBillion == 1)
    }

    // MARK: Rate

    @Test(
        "A rate is whole bytes per second, rounded to the nearest and never none",
        arguments: [
            (UInt64(1), UInt64(1)), (7, 1), (8, 1), (11, 1), (12, 2), (15, 2), (16, 2),
            (1_638_404, 204_801), (50_000_000, 6_250_000), (8_000_000_000_000, 1_000_000_000_000),
            (.max, 2_305_843_009_213_693_952),
        ])
    func bytesPerSecond(bits: UInt64, expected: UInt64) {
        #expect(KernelEncoding.bytesPerSecond(.bitsPerSecond(bits)) == expected)
    }

    @Test(
        "A rate of 2^32 - 1 bytes per second or more has an attribute of 64 bits",
        arguments: [
            (UInt64(1), UInt32(1), UInt64?.none), (4_294_967_294, 4_294_967_294, nil),
            (4_294_967_295, .max, 4_294_967_295), (4_294_967_296, .max, 4_294_967_296),
            (1_000_000_000_000, .max, 1_000_000_000_000),
        ])
    func wideRates(bytes: UInt64, field: UInt32, wide: UInt64?) {
        let rate = KernelEncoding.rate(.bitsPerSecond(bytes * 8))
        #expect(rate.field == field)
        #expect(rate.wide == wide)
        #expect(
            KernelEncoding.bandwidth(bytesPerSecond: rate.wide ?? UInt64(rate.field))
                == .bitsPerSecond(bytes * 8))
    }

    @Test("No rate is zero, and zero is no rate")
    func noRate() {
        #expect(KernelEncoding.rate(nil).field == 0)
        #expect(KernelEncoding.rate(nil).wide == nil)
        #expect(KernelEncoding.bandwidth(bytesPerSecond: 0) == nil)
    }

    @Test("A rate beyond all measure is read as the greatest")
    func impossibleRate() {
        for bytes in [UInt64.max, 1 << 63, 1 << 61] {
            #expect(KernelEncoding.bandwidth(bytesPerSecond: bytes) == .bitsPerSecond(.max))
        }
        #expect(
            KernelEncoding.bandwidth(bytesPerSecond: (1 << 61) - 1) == .bitsPerSecond(.max - 7))
    }
}
