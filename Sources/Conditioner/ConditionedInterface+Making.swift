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
