public import LinkModel
import LinkUnits

/// A profile that `verify` measures.
public struct LinkMeasurement: Sendable {
    let profile: String
    let conditions: LinkConditions
    let plan: ProbePlan
    let effort: Effort
    let backend: Backend
    let seed: UInt64?
    let tolerance: LatenessTolerance

    /// Plans a measurement.
    ///
    /// - Parameters:
    ///   - backend: The requested data plane.
    ///   - seed: The seed for packets; nil: random for each run.
    ///   - tolerance: How late packets may be in a faithful emulation.
    public init(
        profile: String, conditions: LinkConditions, effort: Effort,
        backend: Backend, seed: UInt64?, tolerance: LatenessTolerance = .standard
    ) {
        self.profile = profile
        self.conditions = conditions
        self.effort = effort
        self.backend = backend
        self.seed = seed
        self.tolerance = tolerance
        plan = ProbePlan(conditions, effort: effort)
    }

    /// Whether it keeps the machine busy alone.
    var isFast: Bool {
        [conditions.up, conditions.down].contains { direction in
            direction.loss.mean < .one
                && direction.bandwidth.map { $0 > .megabitsPerSecond(20) } ?? true
        }
    }
}

/// The results of `verify` for a profile.
public struct LinkVerification: Sendable {
    /// The profile.
    public let profile: String
    /// The data plane.
    public let backend: DataPlaneKind
    /// The checks.
    public let checks: [Check]
    /// Why the emulation was inexact; nil if it was exact.
    public internal(set) var flaw: String?

    /// Whether no check failed.
    public var isAsPromised: Bool { checks.allSatisfy { $0.verdict != .failed } }
}
