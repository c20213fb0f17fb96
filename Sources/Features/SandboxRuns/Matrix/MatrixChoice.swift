public import Matrix

/// What the caller says of a matrix; what is not said is as in the file, or as usual.
public struct MatrixChoice {
    /// Names of profiles, with commas between them.
    public var profiles: [String] = []
    /// Names of scenarios, files and directories, with commas between them.
    public var scenarios: [String] = []
    /// Families of profiles.
    public var families: [String] = []
    /// The file in place of `linkcond.yaml`.
    public var file: String?
    /// How often each profile is repeated.
    public var repetitions: Int?
    /// Whether the command is not also run without conditions.
    public var isWithoutBaseline = false
    /// The earlier report whose failed cells are run again.
    public var rerunFailed: String?
    /// The earlier report by whose durations parts are made to take equally long.
    public var balanceBy: String?
    /// How many more attempts a cell has that did not pass.
    public var retries: Int?
    /// Whether the matrix ends when a cell has failed.
    public var isFailFast = false
    /// What the seeds of the cells are made from.
    public var seed: UInt64?
    /// How long a command may run.
    public var timeout: Duration?
    /// The command.
    public var command: [String] = []
    /// Puts what is said of the network in the place of what is there.
    public var changeNetwork: (inout CellNetwork) -> Void = { _ in }

    /// Says nothing.
    public init() {}
}
