import LinkTesting
import LinkUnits
import Testing

@testable import LinkModel

@Suite("Random streams", .tags(.unit))
struct RandomStreamTests {
    @Test func `the generator is xoshiro256** as its authors publish it`() {
        var stream = RandomStream(state: (1, 2, 3, 4))
        let numbers = (0..<4).map { _ in stream.next() }
        #expect(numbers == [11520, 0, 1_509_978_240, 1_215_971_899_390_074_240])
    }

    @Test func `seeds and purposes have streams of their own`() {
        let purposes: [RandomStream.Purpose] = [
            .loss, .jitter, .duplicate, .corrupt, .reorder, .management,
        ]
        var first: Set<UInt64> = []
        for seed in [0, 1, 2, 3, UInt64.max] {
            for purpose in purposes {
                var stream = RandomStream(seed: seed, for: purpose)
                first.insert(stream.next())
            }
        }
        #expect(first.count == 5 * purposes.count)
    }

    @Test(arguments: [1, 1_000_000, 300_000_000, 999_999_999] as [UInt32])
    func `a probability is met`(parts: UInt32) {
        let count = 200_000
        let probability = Ratio(knownPartsPerBillion: parts)
        var stream = RandomStream(seed: 5, for: .loss)
        let chosen = (0..<count).count { _ in stream.isChosen(probability) }
        let share = Double(chosen) / Double(count)
        // At such small counts the normal bound is too narrow; two of them are always possible.
        let bound = max(shareBound(probability.value, count: count), 2 / Double(count))
        #expect(abs(share - probability.value) <= bound)
    }

    @Test func `nothing is never chosen and everything always`() {
        var stream = RandomStream(seed: 5, for: .loss)
        let never = (0..<100_000).count { _ in stream.isChosen(.zero) }
        let always = (0..<100_000).count { _ in stream.isChosen(.one) }
        #expect(never == 0 && always == 100_000)
    }
}
