import LinkUnits

/// What a matrix is asked for, apart from the command: from the command line, a file, or both.
public struct MatrixSpecification: Codable, Sendable, Hashable {
    /// The name of the profile that has no conditions.
    public static let baseline = "baseline"

    /// The profiles as the user named them, without the baseline.
    public var profiles: [String]
    /// The scenarios; nil: none.
    public var scenarios: [MatrixScenario]?
    /// Whether the command also runs without conditions, for comparison.
    public var hasBaseline: Bool
    /// How often each profile is repeated.
    public var repetitions: Int
    /// How many more attempts a cell has that did not pass.
    public var retries: Int
    /// Whether the first cell that fails ends the matrix.
    public var isFailFast: Bool
    /// What the seeds of the cells are made from.
    public var seed: UInt64
    /// How long the command may run.
    public var timeLimits: TimeLimits
    /// Variables of the command's environment, beside the caller's.
    public var environment: [String: String]
    /// What is expected, by profile.
    public var expectations: [String: Expectations]
    /// What every cell's network is like.
    public var network: CellNetwork

    /// Asks for profiles.
    public init(profiles: [String], seed: UInt64) {
        self.profiles = profiles
        self.seed = seed
        hasBaseline = true
        repetitions = 1
        retries = 0
        isFailFast = false
        timeLimits = TimeLimits()
        environment = [:]
        expectations = [:]
        network = CellNetwork()
    }

    private enum CodingKeys: String, CodingKey {
        case profiles, scenarios
        case hasBaseline = "baseline"
        case repetitions = "repeat"
        case retries
        case isFailFast = "failFast"
        case seed, timeLimits, environment, expectations, network
    }
}

/// A scenario of a matrix.
public struct MatrixScenario: Codable, Sendable, Hashable {
    /// Its name.
    public var name: String
    /// How it is found: its name, or the path of its file.
    public var source: String

    /// Names a scenario.
    public init(name: String, source: String) {
        self.name = name
        self.source = source
    }
}

/// How long the command may run in a cell.
public struct TimeLimits: Codable, Sendable, Hashable {
    private var seconds: Double?
    private var secondsByProfile: [String: Double]

    /// Sets a limit for all profiles, and others for some.
    public init(_ limit: Duration? = nil, byProfile: [String: Duration] = [:]) {
        seconds = limit.map { $0 / .seconds(1) }
        secondsByProfile = byProfile.mapValues { $0 / .seconds(1) }
    }

    /// Whether each of them leaves some time.
    var areSound: Bool {
        ([seconds].compactMap(\.self) + secondsByProfile.values).allSatisfy { $0 > 0 }
    }

    /// The limit for a profile; nil: none.
    public subscript(profile: String) -> Duration? {
        (secondsByProfile[profile] ?? seconds).map(Duration.seconds(saturating:))
    }
}
