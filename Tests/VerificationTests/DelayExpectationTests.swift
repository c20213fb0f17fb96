import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import Verification

@Suite("Expected delay", .tags(.unit))
struct DelayExpectationTests {
    private func expectation(
        delay: Duration, _ amount: Duration, _ distribution: Jitter.Distribution = .normal
    ) -> DelayExpectation {
        DelayExpectation(
            DirectionConditions(
                delay: delay, jitter: Jitter(amount: amount, distribution: distribution)),
            bytes: 52)
    }

    @Test("Without jitter it is propagation and serialisation")
    func fixed() {
        let conditions = DirectionConditions(
            bandwidth: .kilobitsPerSecond(8), delay: .milliseconds(100))
        let expected = DelayExpectation(conditions, bytes: 52)
        #expect(expected.mean == 152)
        #expect(expected.deviation == 0)
        #expect(expected.meanError(count: 10, interval: .seconds(1)) == 0)
    }

    @Test(
        "Far above zero the moments are those of the distribution",
        arguments: Jitter.Distribution.allCases)
    func moments(distribution: Jitter.Distribution) {
        let expected = expectation(
            delay: .milliseconds(500), .milliseconds(30), distribution)
        #expect(abs(expected.mean - 500) < 0.05)
        // Half the width of a uniform distribution is its deviation times the root of three.
        let deviation = distribution == .uniform ? 30 / 3.0.squareRoot() : 30
        #expect(abs(expected.deviation - deviation) < 0.1)
        switch distribution {
        case .uniform: #expect(abs(expected.kurtosis - 1.8) < 0.01)
        case .normal: #expect(abs(expected.kurtosis - 3) < 0.1)
        case .pareto, .paretonormal: #expect(expected.kurtosis > 4)
        }
    }

    @Test("A normal distribution cut at its mean is half of one, and zeros")
    func cut() {
        let expected = expectation(delay: .zero, .milliseconds(10))
        #expect(abs(expected.mean - 3.989) < 0.02)
        #expect(abs(expected.deviation - 5.838) < 0.03)
    }

    @Test("More packets tell more")
    func errors() {
        let expected = expectation(delay: .milliseconds(50), .milliseconds(10))
        #expect(
            abs(
                expected.meanError(count: 400, interval: .seconds(1)) - expected.meanError(
                    count: 100, interval: .seconds(1)) / 2) < 1e-9)
        #expect(
            abs(
                expected.deviationError(count: 100, interval: .seconds(1)) - 4.417 * 10
                    / 200.0.squareRoot()) < 0.1)
    }
}
