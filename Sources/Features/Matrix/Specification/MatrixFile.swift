import LinkModel
public import ProfileFormat
import YAMLReading

/// The contents of `linkcond.yaml` for a matrix; omitted settings are nil or empty.
public struct MatrixFile: Sendable, Hashable {
    /// The default file name.
    public static let standardName = "linkcond.yaml"
    /// Far above any such file, far below the available memory.
    public static let sizeLimit = 1 << 20

    /// The command: a list of words, or a text for the shell.
    public internal(set) var command: [String]?
    /// The profiles, without the baseline, also those of its families.
    public internal(set) var profiles: [String]?
    /// The scenarios.
    public internal(set) var scenarios: [MatrixScenario]?
    /// Whether to run a baseline.
    public internal(set) var hasBaseline: Bool?
    /// How often each profile is repeated.
    public internal(set) var repetitions: Int?
    /// How many cells run at once.
    public internal(set) var jobs: Int?
    /// How many more attempts a failed cell gets.
    public internal(set) var retries: Int?
    /// Which cells run again if the machine was too busy for them.
    public internal(set) var unfaithfulRetry: UnfaithfulRetry?
    /// Whether the first failed cell ends the matrix.
    public internal(set) var isFailFast: Bool?
    /// The seed from which those of the cells are derived.
    public internal(set) var seed: UInt64?
    /// How long the command may run with any profile.
    public internal(set) var timeLimit: Duration?
    /// The limits for some profiles and scenarios, by their names in `profiles` and `scenarios`.
    public internal(set) var timeLimits: [String: Duration] = [:]
    /// Environment variables of the command.
    public internal(set) var environment: [String: String] = [:]
    /// The expectations by profile or scenario, with the names in `profiles` and `scenarios`.
    public internal(set) var expectations: [String: Expectations] = [:]
    /// What is expected where those say nothing, except of the baseline.
    public internal(set) var defaultExpectations: Expectations?
    /// The directory for the reports.
    public internal(set) var report: String?
    /// Whether a command that ends with 0 passes even if its JUnit files have failed tests.
    public internal(set) var trustsExitCode: Bool?
    /// The network of each cell.
    public internal(set) var network = CellNetwork()

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - file: Its name, for errors.
    ///   - names: Knows the profiles and scenarios.
    public init(
        parsing text: String, file: String, names: some MatrixNames
    ) throws(ProfileError) {
        guard let root = try YAMLText.compose(text, file: file), case .mapping = root else {
            throw ProfileError(
                file: file,
                explanation: "is not a matrix; write \"profiles: [LTE, 3G]\" and \"command: ...\"")
        }
        var reader = MatrixFileReader(
            fields: try FieldReader(root, file: file, path: "", known: MatrixFileReader.keys),
            names: names)
        try reader.readProfiles(into: &self)
        try reader.readScenarios(into: &self)
        try reader.read(into: &self)
        try reader.readByProfile(into: &self)
    }
}
