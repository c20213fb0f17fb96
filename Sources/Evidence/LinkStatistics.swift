import FoundationEssentials
import LinkUnits
public import PacketLoop

/// What passed over the link of a run. The keys of its JSON are a promise: see
/// `Profiles/schema/statistics.schema.json`.
public struct LinkStatistics: Codable, Sendable, Hashable {
    /// What carried out the conditions: `engine` or `kernel`.
    public var backend: String
    /// With which the same packets meet the same fate; nil where the kernel rolled the dice.
    @OrNull public var seed: UInt64?
    /// How long the command ran.
    public var durationSeconds: Double
    /// Whether the link did what the profile says and nothing else; nil where nobody knows.
    @OrNull public var isFaithful: Bool?
    /// From the app to the network.
    public var up: Way
    /// From the network to the app.
    public var down: Way
    /// What became of the files in which packets were written down.
    public var evidence: EvidenceReport

    /// One direction.
    public struct Way: Codable, Sendable, Hashable {
        /// What was counted in it.
        public var counters: WayCounters

        /// Makes one of what was counted.
        public init(counters: WayCounters) {
            self.counters = counters
        }
    }

    /// Gathers what is known.
    public init(
        backend: String, seed: UInt64?, duration: Duration, isFaithful: Bool?, up: WayCounters,
        down: WayCounters, evidence: EvidenceReport = EvidenceReport()
    ) {
        self.backend = backend
        _seed = OrNull(wrappedValue: seed)
        durationSeconds = duration.seconds
        _isFaithful = OrNull(wrappedValue: isFaithful)
        self.up = Way(counters: up)
        self.down = Way(counters: down)
        self.evidence = evidence
    }

    /// Takes over what the packet engine counted.
    public init(
        _ loop: LoopStatistics, seed: UInt64, duration: Duration,
        evidence: EvidenceReport = EvidenceReport()
    ) {
        self.init(
            backend: "engine", seed: seed, duration: duration,
            isFaithful: Faithfulness(loop).isGiven,
            up: WayCounters(loop.up, duration: duration),
            down: WayCounters(loop.down, duration: duration), evidence: evidence)
    }

    /// Reads what `json` has written.
    public init(json: String) throws {
        self = try JSONDecoder().decode(LinkStatistics.self, from: Data(json.utf8))
    }

    /// The statistics as JSON.
    public func json() throws -> String {
        String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    }
}

/// The statistics of a run, with what was run.
public struct RunStatistics: Encodable, Sendable {
    /// The name of the profile.
    public var profile: String
    /// What was changed of it, as on the command line.
    public var settings: [String]
    /// The command and its arguments.
    public var command: [String]
    /// The exit code of the run.
    public var exitCode: Int32
    /// What passed over the link.
    public var link: LinkStatistics

    /// Puts both together.
    public init(
        profile: String, settings: [String], command: [String], exitCode: Int32,
        link: LinkStatistics
    ) {
        self.profile = profile
        self.settings = settings
        self.command = command
        self.exitCode = exitCode
        self.link = link
    }

    /// Encodes all on one level.
    public func encode(to encoder: any Encoder) throws {
        try link.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(profile, forKey: .profile)
        try container.encode(settings, forKey: .settings)
        try container.encode(command, forKey: .command)
        try container.encode(exitCode, forKey: .exitCode)
    }

    private enum CodingKeys: CodingKey {
        case profile, settings, command, exitCode
    }
}
