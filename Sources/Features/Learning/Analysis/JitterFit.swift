import LinkModel
import LinkUnits
import Verification

/// The delay and the jitter that give delays such as these.
struct JitterFit {
    let delay: Double
    let jitter: Jitter
    /// The largest difference of the distribution from the one chosen, and from the next best.
    let difference: Double
    let nextDifference: Double

    /// - Parameters:
    ///   - delays: In milliseconds.
    ///   - fixed: What each of them has without the jitter.
    init?(_ delays: [Double], fixed: Double) {
        let fits = Jitter.Distribution.allCases.compactMap { Self.fit(delays, fixed, $0) }
            .sorted { $0.difference < $1.difference }
        guard let best = fits.first else { return nil }
        (delay, jitter, difference) = (best.delay, best.jitter, best.difference)
        nextDifference = fits.count > 1 ? fits[1].difference : 1
    }

    private static func fit(
        _ delays: [Double], _ fixed: Double, _ distribution: Jitter.Distribution
    ) -> (delay: Double, jitter: Jitter, difference: Double)? {
        guard let mean = Statistics.mean(delays),
            let deviation = Statistics.standardDeviation(delays), deviation > 0
        else { return nil }
        var delay = mean - fixed
        var amount = deviation * (distribution == .uniform ? 3.0.squareRoot() : 1)
        // No packet arrives before it was sent: what that does to the moments is undone.
        for _ in 0..<30 {
            let expected = DelayExpectation(
                Jitter(amount: .milliseconds(amount), distribution: distribution),
                around: .milliseconds(max(0, delay)), fixed: fixed)
            delay = max(0, delay + mean - expected.mean)
            if expected.deviation > 0 {
                amount *= min(2, max(0.5, deviation / expected.deviation))
            }
        }
        let sorted = delays.sorted()
        let deviates = DelayExpectation.deviates[distribution, default: []].sorted()
        guard !deviates.isEmpty else { return nil }
        // The largest distance of the two distribution functions (Kolmogorov, Smirnov).
        var (difference, below) = (0.0, 0)
        for (index, deviate) in deviates.enumerated() {
            let value = max(0, delay + amount * deviate) + fixed
            while below < sorted.count, sorted[below] <= value { below += 1 }
            let share = (Double(index) + 0.5) / Double(deviates.count)
            // Of the values at the limit, all count at once.
            if value > fixed {
                difference = max(
                    difference, abs(Double(below) / Double(sorted.count) - share))
            }
        }
        return (
            delay, Jitter(amount: .milliseconds(amount), distribution: distribution), difference
        )
    }
}

extension Duration {
    /// A time in milliseconds, limited to what can be.
    fileprivate static func milliseconds(_ value: Double) -> Duration {
        .nanoseconds(Int64(max(0, min(1e12, value)) * 1e6))
    }
}
