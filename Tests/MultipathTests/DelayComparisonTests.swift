import LinkTesting
import Testing

@testable import Multipath

@Suite("The quickest interface", .tags(.unit))
struct DelayComparisonTests {
    /// Echoes of interface 1, which is preferred, and 2; the choice after each pair.
    private func choices(_ echoes: [(Int, Int)]) -> [Int32?] {
        var comparison = DelayComparison()
        comparison.keep([1, 2])
        return echoes.map { first, second in
            comparison.note(.milliseconds(first), over: 1)
            comparison.note(.milliseconds(second), over: 2)
            _ = comparison.choose()
            return comparison.choice
        }
    }

    @Test func `the preferred one is used until enough is known`() {
        #expect(choices([(90, 30), (90, 30), (90, 30)]) == [1, 1, 2])
    }

    @Test func `one late echo changes nothing, and two do`() {
        let quiet = [(30, 60), (30, 60), (30, 60)]
        #expect(choices(quiet + [(300, 60), (30, 60)]).allSatisfy { $0 == 1 })
        #expect(choices(quiet + [(300, 60), (300, 60)]).last == 2)
    }

    @Test func `hardly quicker is not enough, neither by share nor by time`() {
        #expect(choices(Array(repeating: (100, 85), count: 10)).last == 1)
        #expect(choices(Array(repeating: (8, 4), count: 10)).last == 1)
        #expect(choices(Array(repeating: (100, 75), count: 10)).last == 2)
    }

    @Test func `an interface that loses echoes is slow`() {
        var comparison = DelayComparison()
        comparison.keep([1, 2])
        for _ in 0..<3 {
            comparison.note(.milliseconds(20), over: 1)
            comparison.note(.milliseconds(50), over: 2)
        }
        _ = comparison.choose()
        #expect(comparison.choice == 1)
        comparison.note(DelayComparison.lost, over: 1)
        _ = comparison.choose()
        #expect(comparison.choice == 1)
        comparison.note(DelayComparison.lost, over: 1)
        let isOther = comparison.choose()
        #expect(isOther)
        #expect(comparison.choice == 2)
    }

    @Test func `what is left is used when the quickest vanishes`() {
        var comparison = DelayComparison()
        comparison.keep([1, 2])
        for _ in 0..<3 {
            comparison.note(.milliseconds(90), over: 1)
            comparison.note(.milliseconds(30), over: 2)
        }
        _ = comparison.choose()
        #expect(comparison.choice == 2)
        comparison.keep([1])
        #expect(comparison.choice == 1)
        comparison.keep([])
        #expect(comparison.choice == nil)
    }
}
