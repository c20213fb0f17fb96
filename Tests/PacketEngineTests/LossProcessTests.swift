import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import PacketEngine

@Suite("Loss process", .tags(.unit))
struct LossProcessTests {
    private static func pattern(_ loss: LossModel, count: Int, seed: UInt64 = 1) -> [Bool] {
        var process = LossProcess(loss, random: RandomStream(seed: seed, for: .loss))
        return (0..<count).map { _ in process.losesNext() }
    }

    /// The lengths of the rows of losses.
    private static func bursts(_ pattern: [Bool]) -> [Double] {
        var lengths: [Double] = []
        var length = 0.0
        for isLost in pattern + [false] {
            if isLost {
                length += 1
            } else if length > 0 {
                lengths.append(length)
                length = 0
            }
        }
        return lengths
    }

    @Test(arguments: [1_000_000, 20_000_000, 500_000_000] as [UInt32])
    func `independent loss has its mean, and bursts by chance alone`(parts: UInt32) {
        let probability = Ratio(knownPartsPerBillion: parts)
        let count = 300_000
        let pattern = Self.pattern(.random(probability), count: count)
        let share = Double(pattern.count { $0 }) / Double(count)
        #expect(
            abs(share - probability.value) < shareBound(probability.value, count: count))
        let (burst, deviation) = moments(Self.bursts(pattern))
        let bursts = Double(Self.bursts(pattern).count)
        let expected = LossModel.random(probability).meanLossBurst
        #expect(abs(burst - expected) <= 3.89 * max(deviation, 0.05) / bursts.squareRoot())
    }

    @Test(arguments: [(2, 8.0), (5, 2.5), (1, 25.0), (20, 1.0)] as [(UInt32, Double)])
    func `bursts have their mean length and their share of all packets`(
        percent: UInt32, burst: Double
    ) {
        let count = 400_000
        let loss = LossModel.bursts(mean: .percent(percent), burst: burst)
        let pattern = Self.pattern(loss, count: count)
        let lengths = Self.bursts(pattern)
        // A geometric length with mean B has the deviation sqrt(B (B - 1)).
        let deviation = (burst * (burst - 1)).squareRoot()
        let bound = 3.89 * deviation / Double(lengths.count).squareRoot()
        #expect(abs(moments(lengths).mean - burst) <= max(bound, 1e-9))
        // Losses of a burst come together, so that the count varies as that of 2 B - 1 fewer.
        let mean = Double(percent) / 100
        let share = Double(pattern.count { $0 }) / Double(count)
        #expect(
            abs(share - mean) < shareBound(mean, count: Int(Double(count) / (2 * burst))))
    }

    @Test func `the first packet is lost as often as any other`() {
        let loss = LossModel.bursts(mean: .percent(20), burst: 50)
        let count = 20_000
        let lost = (0..<count).count { Self.pattern(loss, count: 1, seed: UInt64($0))[0] }
        #expect(abs(Double(lost) / Double(count) - 0.2) < shareBound(0.2, count: count))
    }

    @Test func `which packets are lost does not depend on time nor on any other effect`() {
        let loss = LossModel.bursts(mean: .percent(5), burst: 3)
        func lost(_ conditions: DirectionConditions, gap: Duration) -> [UInt32] {
            var link = LinkEmulator(conditions, seed: 99)
            for slot in 0..<20_000 as Range<UInt32> {
                link.enqueue(slot..<slot + 1, at: gap * Int(slot))
            }
            return link.remainingEvents().slots(.lost)
        }
        let alone = lost(DirectionConditions(loss: loss), gap: .milliseconds(1))
        #expect(alone.count > 500)
        let everything = DirectionConditions(
            bandwidth: .megabitsPerSecond(500), delay: .milliseconds(20),
            jitter: Jitter(amount: .milliseconds(5)), loss: loss, duplicate: .percent(10),
            corrupt: .percent(10), reorder: Reordering(mean: .percent(10), gap: 3), aqm: .pie)
        #expect(lost(everything, gap: .microseconds(37)) == alone)
    }

    @Test func `a chain that stays is not disturbed by a change elsewhere`() {
        let loss = LossModel.bursts(mean: .percent(30), burst: 10)
        let undisturbed = Self.pattern(loss, count: 1000)
        var process = LossProcess(loss, random: RandomStream(seed: 1, for: .loss))
        let pattern = (0..<1000).map { _ in
            process.change(to: loss)
            return process.losesNext()
        }
        #expect(pattern == undisturbed)
        process.change(to: .random(.one))
        let isLost = process.losesNext()
        process.change(to: .none)
        let isStillLost = process.losesNext()
        #expect(isLost && !isStillLost)
    }
}
