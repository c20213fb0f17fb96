public import LinkModel

extension ConditionedInterface {
    /// Describes an interface that something else than the kernel's data plane conditions.
    public init(
        on interface: String, name: String, selectors: [String] = [], profile: String,
        since: Int64, limit: TimeLimit? = nil, ways: [Direction: Way] = [:],
        dnsDelay: Duration? = nil,
        problem: String? = nil
    ) {
        self.interface = interface
        self.name = name
        self.selectors = selectors
        self.profile = profile
        self.since = since
        self.limit = limit
        self.ways = ways
        self.dnsDelay = dnsDelay
        self.problem = problem
    }
}

extension ConditionedInterface.Way {
    /// Puts conditions and counters together.
    public init(_ conditions: DirectionConditions, counted counters: DirectionCounters) {
        self.conditions = conditions
        self.counters = counters
    }
}

extension DirectionCounters {
    /// Takes over what something else than the kernel's data plane has counted.
    public init(
        deliveredPackets: UInt64, deliveredBytes: UInt64, dropped: UInt64, lost: UInt64,
        queuedPackets: UInt64, bitsPerSecond: UInt64
    ) {
        packets = deliveredPackets
        bytes = deliveredBytes
        self.dropped = dropped
        self.lost = lost
        self.queuedPackets = queuedPackets
        self.bitsPerSecond = bitsPerSecond
    }
}
