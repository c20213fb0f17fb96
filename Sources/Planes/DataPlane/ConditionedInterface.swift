public import LinkModel

/// Conditions in place on an interface, on whichever data plane.
public struct ConditionedInterface: Sendable, Hashable, Codable {
    /// The data plane that carries them out.
    public var plane: DataPlaneKind
    /// The index of the interface.
    public var index: Int32
    /// The name of the interface; its former index if it is gone.
    public var interface: String
    /// The name that distinguishes these conditions from others of the interface; empty if unknown.
    public var name: String
    /// Their slot on the interface.
    public var slot = 0
    /// The conditioned traffic as a `TrafficSelector.text`, or the part of it that is known.
    public var selection = ""
    /// The name of the profile.
    public var profile: String
    /// When they were applied, in seconds since 1970.
    public var since: Int64
    /// When they end automatically, and which watcher ends them; nil: never.
    public var limit: TimeLimit?
    /// The command of the run whose link it is: the conditions end with it. Nil outside of runs.
    public var command: String?
    /// The seed of the packet engine.
    public var seed: UInt64?
    /// The conditioned directions.
    public var directions: [Direction: ConditionedDirection] = [:]
    /// Extra delay of outgoing DNS.
    public var dnsDelay: Duration?
    /// Whether the packet engine did exactly what the conditions say; nil if unknown.
    public var isFaithful: Bool?
    /// What another program has broken, or why the conditions were not met, and what to do; nil if
    /// all is well.
    public var problem: String?

    /// Makes conditions of which nothing else is known.
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

    /// How late the packet engine was, in the worse direction; nil without it, or without packets.
    public var lateness: EngineCounters.Lateness? {
        directions.values.compactMap(\.counters.engine?.lateness).max { $0.p99 < $1.p99 }
    }

    /// The conditioned traffic; nil if unknown.
    public var selector: TrafficSelector? { TrafficSelector(text: selection) }

    /// The traffic as command-line options, or what is known of it; empty for all traffic.
    public var selectors: [String] { selector?.commandLine ?? [selection] }
}

/// One direction of conditions in place.
public struct ConditionedDirection: Sendable, Hashable, Codable {
    /// The conditions of the direction.
    public var conditions: DirectionConditions
    /// The traffic counters of the direction.
    public var counters: DirectionCounters
    /// How long packets were on the link lately; nil where nobody measures it, or without packets.
    public var delay: MeasuredDelay?

    /// Combines conditions and what was measured.
    public init(
        _ conditions: DirectionConditions, _ counters: DirectionCounters,
        delay: MeasuredDelay? = nil
    ) {
        self.conditions = conditions
        self.counters = counters
        self.delay = delay
    }
}

/// The one-way delay of the newest packets, in milliseconds, with the time in the queue.
public struct MeasuredDelay: Sendable, Hashable, Codable {
    /// The median.
    public var p50: Double
    /// The 99th percentile.
    public var p99: Double

    /// Makes a summary from both; nil if they are not known.
    public init?(_ quantiles: [Duration]?) {
        guard let quantiles, quantiles.count == 2 else { return nil }
        (p50, p99) = (quantiles[0] / .milliseconds(1), quantiles[1] / .milliseconds(1))
    }
}
