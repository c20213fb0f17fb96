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

    /// Plans a measurement.
    ///
    /// - Parameters:
    ///   - backend: what is to carry the conditions out.
    ///   - seed: what decides the packets' fate; nil: every run another.
    public init(
        profile: String, conditions: LinkConditions, effort: Effort,
        backend: Backend, seed: UInt64?
    ) {
        self.profile = profile
        self.conditions = conditions
        self.effort = effort
        self.backend = backend
        self.seed = seed
        plan = ProbePlan(conditions, effort: effort)
    }

    /// Whether the machine has enough to do with it alone.
    var isFast: Bool {
        [conditions.up, conditions.down].contains { direction in
            direction.loss.mean < .one
                && direction.bandwidth.map { $0 > .megabitsPerSecond(20) } ?? true
        }
    }
}

/// What `verify` found out about a profile.
public struct LinkVerification: Sendable {
    /// The profile.
    public let profile: String
    /// What carried the conditions out.
    public let backend: DataPlaneKind
    /// Why that, and what else a user may want to know of it.
    public let explanations: [String]
    /// What was compared.
    public let checks: [Check]
    /// Why the emulation was not exact, if it was not.
    public internal(set) var flaw: String?

    /// Whether nothing is outside tolerance.
    public var isAsPromised: Bool { checks.allSatisfy { $0.verdict != .failed } }
}
