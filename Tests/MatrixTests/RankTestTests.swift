import LinkTesting
import Testing

@testable import Matrix

@Suite("Mann-Whitney U test", .tags(.unit))
struct RankTestTests {
    /// Expected: `scipy.stats.mannwhitneyu(a, b, method="exact")`, and counted by hand for equal
    /// values.
    @Test(
        arguments: [
            ([1, 2, 3, 4], [5, 6, 7, 8], 2.0 / 70),
            ([1, 2, 3, 4, 5, 6], [7, 8, 9, 10, 11, 12], 2.0 / 924),
            ([1, 3, 5, 7], [2, 4, 6, 8], 48.0 / 70),
            ([5, 5, 5, 5], [5, 5, 5, 5], 1),
            ([1, 1, 1, 1], [2, 2, 2, 2], 2.0 / 70),
        ] as [([Double], [Double], Double)])
    func `the probability is exact for small samples`(
        first: [Double], second: [Double], expected: Double
    ) throws {
        let probability = try #require(RankTest(first, second)?.probability)
        #expect(abs(probability - expected) < 1e-9)
        #expect(RankTest(second, first)?.probability == probability)
    }

    @Test func `too few values say nothing`() {
        #expect(RankTest([1, 2, 3], [7, 8, 9, 10]) == nil)
        #expect(RankTest([], []) == nil)
    }

    @Test func `many values are approximated closely`() throws {
        var random = SeededGenerator(seed: 5)
        let first = (0..<30).map { _ in Double.random(in: 0..<1, using: &random) }
        let second = (0..<30).map { _ in Double.random(in: 0.2..<1.2, using: &random) }
        let exact = try #require(RankTest(first, second)?.probability)
        // One more value in the middle, so that nothing is counted.
        let approximated = try #require(RankTest(first + [0.6], second)?.probability)
        #expect(exact > 0 && exact < 0.2)
        #expect(abs(approximated - exact) < 0.3 * exact + 0.005)
    }

    @Test func `by chance, at most one comparison in twenty is believed`() {
        var random = SeededGenerator(seed: 9)
        func sample() -> [Double] { (0..<6).map { _ in .random(in: 0..<1, using: &random) } }
        let probabilities = (0..<1000).compactMap { _ in RankTest(sample(), sample())?.probability }
        #expect(probabilities.count == 1000)
        #expect(probabilities.count { $0 < 0.05 } > 20, "each for itself, many would be believed")
        let discoveries = Discoveries(probabilities)
        #expect(probabilities.count(where: discoveries.include) < 5)
        // A real difference among a few is believed.
        #expect(Discoveries([2.0 / 924, 0.4, 0.7, 0.9]).include(2.0 / 924))
        #expect(!Discoveries([0.2, 0.4]).include(0.2))
        #expect(!Discoveries([]).include(0))
    }
}
