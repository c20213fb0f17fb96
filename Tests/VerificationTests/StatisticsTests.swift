import LinkTesting
import LinkUnits
import Recording
import Testing

@testable import Verification

@Suite("Statistics", .tags(.unit))
struct StatisticsTests {
    private func near(_ value: Double?, _ expected: Double, within: Double = 1e-9) -> Bool {
        value.map { abs($0 - expected) <= within } ?? false
    }

    @Test("Mean, deviation and percentiles are those of the textbook")
    func moments() {
        let values = [2.0, 4, 4, 4, 5, 5, 7, 9]
        #expect(near(Statistics.mean(values), 5))
        #expect(near(Statistics.standardDeviation(values), (32.0 / 7).squareRoot()))
        #expect(near(Statistics.median(values), 4.5))
        #expect(near(Statistics.percentile(0, of: values), 2))
        #expect(near(Statistics.percentile(1, of: values), 9))
        #expect(near(Statistics.percentile(0.25, of: [1, 2, 3, 4, 5]), 2))
        #expect(Statistics.mean([]) == nil && Statistics.median([]) == nil)
        #expect(Statistics.standardDeviation([1]) == nil)
    }

    @Test("The robust deviation is that of a normal distribution, whatever lies far out")
    func robust() {
        var values = (0..<1001).map { NormalDistribution.quantile((Double($0) + 0.5) / 1001) }
        #expect(near(Statistics.robustDeviation(values), 1, within: 0.01))
        values += [1000, 2000, -5000]
        #expect(near(Statistics.robustDeviation(values), 1, within: 0.02))
    }

    @Test("So many deviations are the tail that a check may be wrong by")
    func deviations() {
        let tail = NormalDistribution.quantile(1 - Statistics.errorProbability / 2)
        #expect(near(tail, Statistics.deviations, within: 1e-3))
    }

    @Test("A rate is the slope through the events, of which none may be missing to be seen")
    func rates() {
        #expect(near(Statistics.rate(ofEventsAt: (0..<100).map { Double($0) / 50 }), 50))
        // Times in any order, and one event that was late.
        #expect(
            near(Statistics.rate(ofEventsAt: [3, 1, 2, 0, 4, 5.2, 6, 7]), 1, within: 0.02))
        #expect(Statistics.rate(ofEventsAt: [1, 2]) == nil)
        #expect(Statistics.rate(ofEventsAt: [1, 1, 1]) == nil)
    }

    @Test("A stall and its catching up do not change the rate of a stream")
    func steadyRate() {
        let times = (0..<1000).map { Double($0) / 100 }
        let smooth = times.map { $0 * 5000 }
        #expect(near(Statistics.steadyRate(times: times, totals: smooth), 5000, within: 1e-6))
        // Nothing from 0.5 s to 1.5 s and from 9 s to 9.8 s, and all at once behind that.
        let stalled = times.map { time in
            (0.5..<1.5).contains(time) ? 2500 : (9..<9.8).contains(time) ? 45_000 : time * 5000
        }
        #expect(near(Statistics.steadyRate(times: times, totals: stalled), 5000, within: 1e-6))
        #expect(Statistics.steadyRate(times: [1], totals: [1]) == nil)
        #expect(Statistics.steadyRate(times: [], totals: []) == nil)
    }

    @Test("Runs are counted at both ends and in between")
    func runs() {
        #expect(Statistics.runs([true, true, false, true, false, false, true]) == [2, 1, 1])
        #expect(Statistics.runs([false, false]).isEmpty)
        #expect(Statistics.runs([true]) == [1])
        #expect(Statistics.runs([]).isEmpty)
    }

    struct Interval: Sendable {
        let successes: Double
        let trials: Double
        let low: Double
        let high: Double
    }

    /// From R's binom.test(k, n)$conf.int.
    @Test(
        "The interval of a share is that of Clopper and Pearson",
        arguments: [
            Interval(successes: 0, trials: 10, low: 0, high: 0.3084971),
            Interval(successes: 5, trials: 10, low: 0.1870860, high: 0.8129140),
            Interval(successes: 10, trials: 10, low: 0.6915029, high: 1),
            Interval(successes: 10, trials: 100, low: 0.04900469, high: 0.17622260),
            Interval(successes: 1, trials: 1000, low: 0.0000253175, high: 0.0055589),
        ])
    func interval(_ known: Interval) {
        let interval = ProportionInterval(
            successes: known.successes, trials: known.trials, error: 0.05)
        #expect(near(interval.low, known.low, within: 1e-6))
        #expect(near(interval.high, known.high, within: 1e-6))
    }

    @Test("The incomplete beta function agrees with its closed forms")
    func beta() {
        for x in [0.0, 0.1, 0.5, 0.9, 1] {
            #expect(near(ProportionInterval.regularizedBeta(x, 1, 1), x))
            #expect(near(ProportionInterval.regularizedBeta(x, 2, 1), x * x))
            #expect(
                near(ProportionInterval.regularizedBeta(x, 1, 3), 1 - (1 - x) * (1 - x) * (1 - x)))
        }
        #expect(near(ProportionInterval.regularizedBeta(0.5, 1000, 1000), 0.5, within: 1e-9))
    }
}
