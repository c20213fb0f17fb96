public import LinkModel

/// Conditions that stand on an interface, whichever data plane carries them out.
public struct ConditionedInterface: Sendable, Hashable, Codable {
    /// What carries them out.
    public var plane: DataPlaneKind
    /// The index of the interface.
    public var index: Int32
    /// The name of the interface; for one that is gone its former index.
    public var interface: String
    /// The name that tells these conditions from others of the interface; empty where nothing
    /// tells it any more.
    public var name: String
    /// Their number among those of the interface.
    public var slot = 0
    /// Which traffic is conditioned, as `TrafficSelector.text` has it, or as much of that as is
    /// known.
    public var selection = ""
    /// The name of the profile.
    public var profile: String
    /// When it was conditioned, in seconds since 1970.
    public var since: Int64
    /// When they end by themselves, and who sees to that; nil: not before they are cleared.
    public var limit: TimeLimit?
    /// Where the random numbers of the packet engine began.
    public var seed: UInt64?
    /// The conditioned directions.
    public var directions: [Direction: ConditionedDirection] = [:]
    /// Extra delay of outgoing DNS.
    public var dnsDelay: Duration?
    /// Whether the packet engine has done what the conditions say and nothing else; nil where
    /// nobody knows.
    public var isFaithful: Bool?
    /// What another program has broken, or why it was not what the conditions say, and the way out;
    /// nil if all is well.
    public var problem: String?

    /// Describes conditions of which nothing else is known.
    public init(
        by plane: DataPlaneKind, on interface: String, index: Int32, name: String,
        profile: String, since: Int64, limit: TimeLimit?
    ) {
        self.plane = plane
        self.interface = interface
        self.index = index
        self.name = name
        self.profile = profile
        self.since = since
        self.limit = limit
    }

    /// Which traffic is conditioned; nil if that cannot be told any more.
    public var selector: TrafficSelector? { TrafficSelector(text: selection) }

    /// The traffic as options of the command line, or what is known of it; none for all.
    public var selectors: [String] { selector?.commandLine ?? [selection] }
}

/// One direction of conditions that stand.
public struct ConditionedDirection: Sendable, Hashable, Codable {
    /// What is done to packets.
    public var conditions: DirectionConditions
    /// What went through.
    public var counters: DirectionCounters

    /// Puts conditions and counters together.
    public init(_ conditions: DirectionConditions, _ counters: DirectionCounters) {
        self.conditions = conditions
        self.counters = counters
    }
}
