import LinkModel
import LinkUnits

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

    /// Cut off at four standard deviations, where netem's tables end too.
    private static let normal = DelayShape(
        quantile: { normalQuantile($0) }, isNormalized: true)

    /// Pareto with shape 3, without the last 2 in 1,000: from 0.72 standard deviations below the
    /// mean to 9.7 above.
    private static let pareto = DelayShape(
        quantile: { paretoQuantile($0) }, isNormalized: true)

    /// A quarter normal, three quarters Pareto, added quantile by quantile as in tc.
    private static let paretoNormal = DelayShape(
        quantile: { 0.25 * normalQuantile($0) + 0.75 * paretoQuantile($0) }, isNormalized: true)

    private static let normalCut = 4.0

    private static func normalQuantile(_ share: Double) -> Double {
        let tail = 0.5 - NormalDistribution.share(upTo: normalCut)
        return NormalDistribution.quantile(tail + share * (1 - 2 * tail), limit: normalCut)
    }

    /// Mean 3/2, variance 3/4, values from 1: the share below x is 1 - 1/x³.
    private static func paretoQuantile(_ share: Double) -> Double {
        let rest = 1 - share * 0.998
        let value = Bisection.solve(from: 1, to: 8) { 1 / ($0 * $0 * $0) > rest }
        return (value - 1.5) / (0.75).squareRoot()
    }
}
