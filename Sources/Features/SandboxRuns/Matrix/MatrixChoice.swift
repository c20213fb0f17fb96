public import Matrix

/// The user's choices for a matrix; unset ones come from the file or have defaults.
public struct MatrixChoice {
    /// Profile names, separated by commas.
    public var profiles: [String] = []
    /// Names of scenarios, files and directories, separated by commas.
    public var scenarios: [String] = []
    /// Families of profiles.
    public var families: [String] = []
    /// The file to use instead of `linkcond.yaml`.
    public var file: String?
    /// How often each profile is repeated.
    public var repetitions: Int?
    /// Whether to leave out the run without conditions.
    public var isWithoutBaseline = false
    /// The earlier report whose failed cells to run again.
    public var rerunFailed: String?
    /// The earlier report whose durations balance the parts.
    public var balanceBy: String?
    /// How many more attempts a failed cell gets.
    public var retries: Int?
    /// Which cells run again if the machine was too busy for them.
    public var unfaithfulRetry: UnfaithfulRetry?
    /// Whether the first failed cell ends the matrix.
    public var isFailFast = false
    /// The seed from which those of the cells are derived.
    public var seed: UInt64?
    /// How long a command may run.
    public var timeout: Duration?
    /// The command.
    public var command: [String] = []
    /// Replaces the given network settings.
    public var changeNetwork: (inout CellNetwork) -> Void = { _ in }

    /// Whether neither cells nor a command are named.
    var namesNothing: Bool {
        profiles.isEmpty && scenarios.isEmpty && families.isEmpty && file == nil
            && repetitions == nil && rerunFailed == nil && command.isEmpty
    }

    /// Makes choices without any set.
    public init() {}
}
