import LinkUnits

/// The request for a matrix, apart from the command: from the command line, a file, or both.
public struct MatrixSpecification: Codable, Sendable, Hashable {
    /// The name of the profile that has no conditions.
    public static let baseline = "baseline"

    /// The profiles as the user named them, without the baseline.
    public var profiles: [String]
    /// The scenarios; nil: none.
    public var scenarios: [MatrixScenario]?
    /// Whether the command also runs without conditions, for comparison.
    public var hasBaseline = true
    /// How often each profile is repeated.
    public var repetitions = 1
    /// How many more attempts a failed cell gets.
    public var retries = 0
    /// Which cells run again if the machine was too busy for them; nil: those that failed.
    public var unfaithfulRetry: UnfaithfulRetry?
    /// Whether the first failed cell ends the matrix.
    public var isFailFast = false
    /// The seed from which those of the cells are derived.
    public var seed: UInt64
    /// How long the command may run.
    public var timeLimits = TimeLimits()
    /// Environment variables of the command, in addition to the caller's.
    public var environment: [String: String] = [:]
    /// The expectations by profile.
    public var expectations: [String: Expectations] = [:]
    /// Whether a command that ends with 0 passes even if its JUnit files have failed tests; nil:
    /// no.
    public var trustsExitCode: Bool?
    /// The network of every cell.
    public var network = CellNetwork()

    /// Requests profiles.
    public init(profiles: [String], seed: UInt64) {
        self.profiles = profiles
        self.seed = seed
    }

    private enum CodingKeys: String, CodingKey {
        case profiles, scenarios
        case hasBaseline = "baseline"
        case repetitions = "repeat"
        case retries
        case unfaithfulRetry = "retryUnfaithful"
        case isFailFast = "failFast"
        case seed, timeLimits, environment, expectations
        case trustsExitCode = "trustExitCode"
        case network
    }
}

/// A scenario of a matrix.
public struct MatrixScenario: Codable, Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its name, or the path of its file.
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

    /// Sets a limit for all profiles, and different ones for some.
    public init(_ limit: Duration? = nil, byProfile: [String: Duration] = [:]) {
        seconds = limit.map { $0 / .seconds(1) }
        secondsByProfile = byProfile.mapValues { $0 / .seconds(1) }
    }

    /// Whether all limits are above zero.
    var areSound: Bool {
        ([seconds].compactMap(\.self) + secondsByProfile.values).allSatisfy { $0 > 0 }
    }

    /// The limit for a profile; nil: none.
    public subscript(profile: String) -> Duration? {
        (secondsByProfile[profile] ?? seconds).map(Duration.seconds(saturating:))
    }
}
