import Glibc
package import LinkModel
import LinkUnits

/// The one-way delay that an idle link promises, in milliseconds.
///
/// No packet arrives before it was sent: delays that jitter would make negative are zero, which
/// raises the mean and narrows the spread. So the moments are those of the truncated distribution.
package struct DelayExpectation: Hashable {
    package let mean: Double
    package let deviation: Double
    /// The fourth central moment divided by the square of the variance, which determines the error
    /// of a measured deviation. 3 for a normal distribution.
    let kurtosis: Double
    /// The longest possible delay.
    let greatest: Double
    /// How long it takes until the delay is independent of its earlier value.
    let memory: Duration
}

extension DelayExpectation {
    /// The delay of a packet of `bytes`.
    init(_ conditions: DirectionConditions, bytes: Int) {
        let fixed = conditions.serialization(ofBytes: bytes).milliseconds
        guard let jitter = conditions.jitter else {
            let delay = conditions.delay.milliseconds + fixed
            self.init(mean: delay, deviation: 0, kurtosis: 3, greatest: delay, memory: .zero)
            return
        }
        self.init(jitter, around: conditions.delay, fixed: fixed)
    }

    /// The result of applying `jitter` to a delay, plus `fixed` milliseconds without jitter.
    package init(_ jitter: Jitter, around duration: Duration, fixed: Double = 0) {
        let delay = duration.milliseconds
        let values = Self.deviates[jitter.distribution, default: []].map {
            max(0, delay + jitter.amount.milliseconds * $0) + fixed
        }
        let count = Double(values.count)
        let mean = values.reduce(0, +) / count
        let squares = values.map { ($0 - mean) * ($0 - mean) }
        let variance = squares.reduce(0, +) / count
        let fourthMoment = squares.reduce(0) { $0 + $1 * $1 } / count
        self.mean = mean
        deviation = variance.squareRoot()
        kurtosis = variance > 0 ? fourthMoment / (variance * variance) : 3
        greatest = values.max() ?? mean
        memory = jitter.memory
    }

    /// The error by chance of the mean of `count` packets at this interval.
    func meanError(count: Int, interval: Duration) -> Double {
        Statistics.deviations * deviation / independent(count, interval).squareRoot()
    }

    /// The error by chance of the standard deviation of `count` packets at this interval.
    func deviationError(count: Int, interval: Duration) -> Double {
        Statistics.deviations * deviation
            * (max(0.1, kurtosis - 1) / (4 * independent(count, interval))).squareRoot()
    }

    /// The number of independent delays that this many packets are worth.
    private func independent(_ count: Int, _ interval: Duration) -> Double {
        let share = memory > interval ? interval / memory : 1
        return max(1, Double(count) * share)
    }

    /// Evenly spaced quantiles of a distribution with mean 0 and deviation 1; for `uniform` from -1
    /// to 1. Tails are cut at four deviations, as in netem.
    package static let deviates = Dictionary(
        uniqueKeysWithValues: Jitter.Distribution.allCases.map { ($0, makeDeviates($0)) })

    private static func makeDeviates(_ distribution: Jitter.Distribution) -> [Double] {
        let size = 2048
        let shares = (0..<size).map { (Double($0) + 0.5) / Double(size) }
        guard distribution != .uniform else { return shares.map { 2 * $0 - 1 } }
        var values = shares.map { quantile($0, distribution) }
        for _ in 0..<10 {
            values = values.map { min(4, max(-4, $0)) }
            let mean = Statistics.mean(values) ?? 0
            let deviation = Statistics.standardDeviation(values) ?? 1
            values = values.map { ($0 - mean) / deviation }
        }
        return values
    }

    private static func quantile(_ share: Double, _ distribution: Jitter.Distribution) -> Double {
        // Pareto with shape 3 has mean 3/2 and variance 3/4.
        let pareto = (1 / cbrt(1 - share) - 1.5) / 0.75.squareRoot()
        return switch distribution {
        case .uniform: 2 * share - 1
        case .normal: NormalDistribution.quantile(share)
        case .pareto: pareto
        case .paretonormal: 0.25 * NormalDistribution.quantile(share) + 0.75 * pareto
        }
    }
}

extension Jitter {
    /// The time between two delays after which they count as independent for a mean of many.
    ///
    /// It is twice the integral of the autocorrelation of the packet engine's jitter, which changes
    /// only as fast as packet order allows ("How a link is emulated" in its documentation has the
    /// numbers). The kernel draws each packet's delay independently, so it does better.
    package var memory: Duration {
        switch distribution {
        case .uniform: amount * 2.4
        case .normal: amount * 5
        case .paretonormal: amount * 8
        case .pareto: amount * 11.2
        }
    }
}
