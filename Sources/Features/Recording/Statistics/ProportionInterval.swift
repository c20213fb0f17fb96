import Glibc

/// The confidence interval of a probability, given a count: Clopper and Pearson (1934).
///
/// It is exact: whatever the probability is, the interval misses it at most as often as stated.
/// Counts need not be whole: a correlated sample counts as fewer trials.
package struct ProportionInterval: Sendable, Hashable {
    /// The lower end.
    package let low: Double
    /// The upper end.
    package let high: Double

    /// The interval for `successes` in `trials`, which misses with probability `error`.
    package init(successes: Double, trials: Double, error: Double) {
        precondition(successes >= 0 && successes <= trials && trials > 0, "a share of trials")
        let failures = trials - successes
        low =
            successes == 0
            ? 0 : Self.betaQuantile(error / 2, successes, failures + 1)
        high =
            failures == 0
            ? 1 : Self.betaQuantile(1 - error / 2, successes + 1, failures)
    }

    /// Whether `value` is consistent with the count.
    package func contains(_ value: Double) -> Bool { (low...high).contains(value) }

    /// The quantile of the beta distribution at `share`.
    private static func betaQuantile(_ share: Double, _ a: Double, _ b: Double) -> Double {
        var low = 0.0
        var high = 1.0
        for _ in 0..<100 {
            let middle = (low + high) / 2
            if regularizedBeta(middle, a, b) < share { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    /// The regularized incomplete beta function I_x(a, b), by its continued fraction (DLMF
    /// 8.17.22).
    package static func regularizedBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
        guard x > 0 else { return 0 }
        guard x < 1 else { return 1 }
        // The fraction converges fast only on this side of the mean.
        guard x <= (a + 1) / (a + b + 2) else { return 1 - regularizedBeta(1 - x, b, a) }
        let logFront =
            a * log(x) + b * log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b)
        return exp(logFront) / a * continuedFraction(x, a, b)
    }

    /// Evaluated by Lentz's method.
    private static func continuedFraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
        let tiny = 1e-300
        let nonzero = { (value: Double) in abs(value) < tiny ? tiny : value }
        var c = 1.0
        var d = 1 / nonzero(1 - (a + b) * x / (a + 1))
        var result = d
        for step in 1...1000 {
            let m = Double(step)
            let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            var factor = 1.0
            for term in [even, odd] {
                d = 1 / nonzero(1 + term * d)
                c = nonzero(1 + term / c)
                factor = c * d
                result *= factor
            }
            if abs(factor - 1) < 1e-14 { break }
        }
        return result
    }

    private static func logGamma(_ value: Double) -> Double {
        let (result, _): (Double, Int) = lgamma(value)
        return result
    }
}
