public import Matrix

/// What a search is, as it stands in its directory: another one may not go on there.
public struct BisectionRequest: Codable, Sendable, Hashable {
    /// The command.
    public var command: [String]
    /// The profile as the user named it; nil with a scenario.
    public var profile: String?
    /// The scenario as the user named it.
    public var scenario: String?
    /// The name of the quantity.
    public var quantity: String
    /// One end.
    public var from: String
    /// The other end.
    public var to: String
    /// How far neighbours are apart.
    public var precision: Double
    /// When an outage begins, in seconds.
    public var outageAtSeconds: Double?
    /// When a run passes.
    public var rule: SuccessRule
    /// How long a run may take.
    public var timeLimitSeconds: Double?
    /// The network, apart from the quantity.
    public var network: CellNetwork
    /// The seed from which those of the runs derive; the request of another one is the same.
    public var seed: UInt64

    /// Describes a search.
    public init(
        command: [String], profile: String?, scenario: String?, quantity: String, from: String,
        to: String, precision: Double, outageAtSeconds: Double?, rule: SuccessRule,
        timeLimitSeconds: Double?, network: CellNetwork, seed: UInt64
    ) {
        self.command = command
        self.profile = profile
        self.scenario = scenario
        self.quantity = quantity
        self.from = from
        self.to = to
        self.precision = precision
        self.outageAtSeconds = outageAtSeconds
        self.rule = rule
        self.timeLimitSeconds = timeLimitSeconds
        self.network = network
        self.seed = seed
    }

    /// How another request differs, for people; nil: not.
    func difference(from other: BisectionRequest) -> String? {
        let pairs: [(String, String, String)] = [
            ("command", command.joined(separator: " "), other.command.joined(separator: " ")),
            ("profile", profile ?? "none", other.profile ?? "none"),
            ("scenario", scenario ?? "none", other.scenario ?? "none"),
            ("--vary", quantity, other.quantity), ("--from", from, other.from),
            ("--to", to, other.to), ("--precision", "\(precision)", "\(other.precision)"),
        ]
        if let pair = pairs.first(where: { $0.1 != $0.2 }) {
            return "its \(pair.0) is \(pair.1), not \(pair.2)"
        }
        var same = other
        same.seed = seed
        return same == self ? nil : "its measure, time limit, outage or network differs"
    }
}

/// A run of the command at a value, as it stands in the directory.
public struct TrialRecord: Codable, Sendable, Hashable {
    /// Its number, from 1, in the order of the starts.
    public var number: Int
    /// The index of the value.
    var point: Int
    /// The value.
    public var value: String
    /// The seed; nil if the kernel drew the random numbers.
    public var seed: UInt64?
    /// Whether it passed; nil if it is thrown away, since the machine was too busy.
    public var passed: Bool?
    /// The exit code.
    public var exitCode: Int32
    /// Whether it ran longer than it may.
    public var isTimedOut: Bool
    /// How long it ran.
    public var durationSeconds: Double
    /// The measure; nil without one.
    public var measured: Double?
    /// Its output, relative to the directory.
    public var log: String?
}
