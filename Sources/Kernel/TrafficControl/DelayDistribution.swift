import Glibc
import LinkUnits

/// A table of 4,096 deviates with mean 0 and standard deviation 1, from which netem draws.
public enum DelayDistribution: String, Sendable, Hashable, CaseIterable {
    /// The Gaussian distribution.
    case normal
    /// A long tail: Pareto with shape 3.
    case pareto
    /// A quarter Gaussian, three quarters Pareto, as in tc.
    case paretonormal

    /// One standard deviation in netem's tables (`NETEM_DIST_SCALE`).
    private static let scale = 8192.0
    private static let size = 4096

    /// The bytes of the table, 16-bit numbers in host order.
    var table: [UInt8] {
        switch self {
        case .normal: Self.normalTable
        case .pareto: Self.paretoTable
        case .paretonormal: Self.paretonormalTable
        }
    }

    // Computed once: every netem with jitter needs one.
    private static let normalTable = table(DelayDistribution.normal.deviates)
    private static let paretoTable = table(DelayDistribution.pareto.deviates)
    private static let paretonormalTable = table(DelayDistribution.paretonormal.deviates)

    /// The table of a uniform spread from one jitter below the delay to one above.
    ///
    /// This is netem's default, but a netem that was given a table keeps it.
    static let uniformTable = table((0..<size).map { (2 * Double($0) + 1) / Double(size) - 1 })

    private static func table(_ deviates: [Double]) -> [UInt8] {
        deviates.flatMap { deviate -> [UInt8] in
            let value = Int16(clamping: Int((deviate * scale).rounded()))
            return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
    }

    /// The deviates in ascending order, with mean 0 and standard deviation 1.
    var deviates: [Double] {
        let limit = Double(Int16.max) / Self.scale
        var deviates = (0..<Self.size).map { quantile((Double($0) + 0.5) / Double(Self.size)) }
        // The table cuts off the tails, and scaling makes up for the lost spread, which moves the
        // cut. Five rounds bring the deviation to within 0.1 %, ten to within 0.001 %.
        for _ in 0..<10 {
            deviates = deviates.map { min(limit, max(-limit, $0)) }
            let mean = deviates.reduce(0, +) / Double(deviates.count)
            let variance =
                deviates.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(deviates.count)
            let deviation = variance.squareRoot()
            deviates = deviates.map { ($0 - mean) / deviation }
        }
        return deviates
    }

    /// The value below which `share` of the distribution lies.
    private func quantile(_ share: Double) -> Double {
        switch self {
        case .normal: NormalDistribution.quantile(share)
        case .pareto: Self.paretoQuantile(share)
        case .paretonormal:
            0.25 * NormalDistribution.quantile(share) + 0.75 * Self.paretoQuantile(share)
        }
    }

    /// Pareto with shape 3 has mean 3/2 and variance 3/4.
    private static func paretoQuantile(_ share: Double) -> Double {
        (pow(1 - share, -1.0 / 3) - 1.5) / (0.75).squareRoot()
    }
}
