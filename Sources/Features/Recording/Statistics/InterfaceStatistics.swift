public import LinkModel

/// The traffic on the link of one interface of a run.
public struct InterfaceStatistics: Codable, Sendable, Hashable {
    /// The interface's name.
    public var name: String
    /// The initial profile.
    public var profile: String
    /// From the app to the network.
    public var up: DirectionCounters
    /// From the network to the app.
    public var down: DirectionCounters
    /// The link over time, if requested.
    public var samples: [LinkSample] = []

    /// Makes statistics.
    public init(name: String, profile: String, counters: LinkCounters) {
        self.name = name
        self.profile = profile
        up = counters.up
        down = counters.down
    }

    /// The counters of both directions.
    var counters: LinkCounters { LinkCounters(up: up, down: down) }
}
