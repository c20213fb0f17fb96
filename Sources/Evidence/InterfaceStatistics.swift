/// What passed over the link behind one interface of a run.
public struct InterfaceStatistics: Codable, Sendable, Hashable {
    /// The interface's name.
    public var name: String
    /// The profile that it had at first.
    public var profile: String
    /// From the app to the network.
    public var up: WayCounters
    /// From the network to the app.
    public var down: WayCounters
    /// The link over time, if that was asked for.
    public var samples: [LinkSample] = []

    /// Describes what passed.
    public init(name: String, profile: String, up: WayCounters, down: WayCounters) {
        self.name = name
        self.profile = profile
        self.up = up
        self.down = down
    }
}
