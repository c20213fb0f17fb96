import LinkModel
public import ProfileFormat
import Yams

/// What `linkcond.yaml` says of a matrix; what it leaves out is nil or empty.
public struct MatrixFile: Sendable, Hashable {
    /// The name under which it is looked for.
    public static let standardName = "linkcond.yaml"
    /// Far above any such file, far below what would fill the memory.
    public static let sizeLimit = 1 << 20

    /// The command: the words of a list, or a text for the shell.
    public internal(set) var command: [String]?
    /// The profiles, without the baseline.
    public internal(set) var profiles: [String]?
    /// Whether there is to be a baseline.
    public internal(set) var hasBaseline: Bool?
    /// How often each profile is repeated.
    public internal(set) var repetitions: Int?
    /// How many cells run at once.
    public internal(set) var jobs: Int?
    /// How many more attempts a cell has.
    public internal(set) var retries: Int?
    /// Whether the first cell that fails ends the matrix.
    public internal(set) var isFailFast: Bool?
    /// What seeds are made from.
    public internal(set) var seed: UInt64?
    /// How long the command may run under any profile.
    public internal(set) var timeLimit: Duration?
    /// How long it may run under some profiles, by their names as in `profiles`.
    public internal(set) var timeLimits: [String: Duration] = [:]
    /// Variables of the command's environment.
    public internal(set) var environment: [String: String] = [:]
    /// What is expected, by profile, with names as in `profiles`.
    public internal(set) var expectations: [String: Expectations] = [:]
    /// The network of each cell.
    public internal(set) var network = CellNetwork()

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - file: its name, for errors.
    ///   - profileID: finds the profile of a name and returns what is the same for all its names;
    ///     throws if there is none.
    public init(
        parsing text: String, file: String, profileID: (String) throws -> String
    ) throws(ProfileError) {
        guard let root = try YAMLText.compose(text, file: file), case .mapping = root else {
            throw ProfileError(
                file: file,
                explanation: "is not a matrix; write \"profiles: [LTE, 3G]\" and \"command: ...\"")
        }
        var reader = MatrixFileReader(
            fields: try FieldReader(root, file: file, path: "", known: MatrixFileReader.keys))
        try reader.readProfiles(into: &self, profileID)
        try reader.read(into: &self)
        try reader.readByProfile(into: &self, profileID)
    }
}
