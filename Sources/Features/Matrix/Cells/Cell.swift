import LinkModel

/// The command under one profile or scenario: one run of a matrix.
public struct Cell: Sendable, Hashable {
    /// The unique name: `LTE`, or `LTE/2` if profiles are repeated.
    public let id: String
    /// The profile as the user named it; for a scenario, the scenario's name.
    public let profile: String
    /// The scenario; nil: the conditions do not change.
    public let scenario: MatrixScenario?
    /// A profile with a changed field, of which `profile` is the name; nil: no field is changed.
    public var variant: CellVariant?
    /// The number of the repetition, from 1.
    public let repetition: Int
    /// Whether it runs without conditions, for comparison.
    public let isBaseline: Bool
    /// How long the command may run; nil: without limit.
    public let timeLimit: Duration?
    /// What is expected.
    public let expectations: Expectations
    /// The seed of the first attempt; nil if the kernel draws the random numbers.
    public var seed: UInt64?

    /// The seed of an attempt, from 1. Every attempt has its own, so that a retry differs.
    func seed(ofAttempt attempt: Int) -> UInt64? {
        guard let seed, attempt > 1 else { return seed }
        return CellSeed.make("\(seed) \(attempt)")
    }
}

extension MatrixSpecification {
    /// All cells, those of the baseline first. Their seeds depend only on `seed` and the cell, so
    /// that every shard computes the same.
    public var cells: [Cell] {
        let names = (hasBaseline ? [Self.baseline] : []) + profiles
        return names.flatMap { profile in
            (1...repetitions).map { repetition in cell(profile, repetition) }
                + variants(of: profile).flatMap { variant in
                    (1...repetitions).map { repetition in cell(variant, repetition) }
                }
        }
            + (scenarios ?? []).flatMap { scenario in
                (1...repetitions).map { repetition in cell(scenario.name, repetition, scenario) }
            }
    }

    private func cell(
        _ profile: String, _ repetition: Int, _ scenario: MatrixScenario? = nil
    ) -> Cell {
        let id = repetitions == 1 ? profile : "\(profile)/\(repetition)"
        return Cell(
            id: id, profile: profile, scenario: scenario, repetition: repetition,
            isBaseline: hasBaseline && profile == Self.baseline, timeLimit: timeLimits[profile],
            expectations: expectations[profile] ?? Expectations(),
            seed: network.backend == .kernel ? nil : CellSeed.make("\(seed) \(id)"))
    }
}

extension MatrixSpecification {
    /// Only how the command ends counts: its other limits are those of the profile itself.
    private func cell(_ variant: CellVariant, _ repetition: Int) -> Cell {
        let id = repetitions == 1 ? variant.name : "\(variant.name)/\(repetition)"
        return Cell(
            id: id, profile: variant.name, scenario: nil, variant: variant, repetition: repetition,
            isBaseline: false, timeLimit: timeLimits[variant.profile],
            expectations: Expectations(exit: expectations[variant.profile]?.exit),
            seed: network.backend == .kernel ? nil : CellSeed.make("\(seed) \(id)"))
    }
}

/// Seeds derived from text: reproducible, and short enough to type.
package enum CellSeed {
    package static func make(_ text: String) -> UInt64 {
        // The upper half is mixed best.
        StableHash.of(text.utf8) >> 32
    }
}
