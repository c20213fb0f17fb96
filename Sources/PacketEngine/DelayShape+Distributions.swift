import LinkModel

extension DelayShape {
    /// The shape of this distribution.
    static func shape(of distribution: Jitter.Distribution) -> DelayShape {
        switch distribution {
        case .uniform: uniform
        case .normal: normal
        case .pareto: pareto
        case .paretonormal: paretoNormal
        }
    }

    private static let uniform = DelayShape(quantile: { 2 * $0 - 1 }, isNormalized: false)

    /// Cut at four deviations, where netem's tables end too.
    private static let normal = DelayShape(
        quantile: { normalQuantile($0) }, isNormalized: true)

    /// Pareto with shape 3, without the last 2 in 1,000: it goes from 0.72 deviations below the
    /// mean to 9.7 above.
    private static let pareto = DelayShape(
        quantile: { paretoQuantile($0) }, isNormalized: true)

    /// A quarter normal, three quarters Pareto, added quantile by quantile as tc does.
    private static let paretoNormal = DelayShape(
        quantile: { 0.25 * normalQuantile($0) + 0.75 * paretoQuantile($0) }, isNormalized: true)

    private static let normalCut = 4.0

    private static func normalQuantile(_ share: Double) -> Double {
        let tail = 0.5 - normalShare(upTo: normalCut)
        let wanted = tail + share * (1 - 2 * tail) - 0.5
        return solve(from: -normalCut, to: normalCut) {
            ($0 < 0 ? -normalShare(upTo: -$0) : normalShare(upTo: $0)) < wanted
        }
    }

    /// Mean 3/2, variance 3/4, from 1 upward: the share below x is 1 - 1/x³.
    private static func paretoQuantile(_ share: Double) -> Double {
        let rest = 1 - share * 0.998
        let value = solve(from: 1, to: 8) { 1 / ($0 * $0 * $0) > rest }
        return (value - 1.5) / (0.75).squareRoot()
    }

    /// The share of the normal distribution between 0 and `value`, by its power series: exact to
    /// 12 digits up to 4.
    private static func normalShare(upTo value: Double) -> Double {
        var term = value
        var sum = value
        var k = 0.0
        while abs(term) > 1e-17 * abs(sum) {
            k += 1
            term *= -value * value / (2 * k)
            sum += term / (2 * k + 1)
        }
        return sum * 0.398_942_280_401_432_68
    }

    /// Where `isBelow` turns false, by bisection.
    private static func solve(
        from low: Double, to high: Double, isBelow: (Double) -> Bool
    ) -> Double {
        var (low, high) = (low, high)
        for _ in 0..<48 {
            let middle = (low + high) / 2
            if isBelow(middle) { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}
