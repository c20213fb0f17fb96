public import LinkModel

/// What passed over the link behind one interface of a run.
public struct InterfaceStatistics: Codable, Sendable, Hashable {
    /// The interface's name.
    public var name: String
    /// The profile that it had at first.
    public var profile: String
    /// From the app to the network.
    public var up: DirectionCounters
    /// From the network to the app.
    public var down: DirectionCounters
    /// The link over time, if that was asked for.
    public var samples: [LinkSample] = []

    /// Describes what passed.
    public init(name: String, profile: String, counters: LinkCounters) {
        self.name = name
        self.profile = profile
        up = counters.up
        down = counters.down
    }

    /// What passed in both directions.
    var counters: LinkCounters { LinkCounters(up: up, down: down) }
}
