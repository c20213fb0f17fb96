/// What passed over a link since it was conditioned.
public struct LinkCounters: Sendable, Hashable, Codable {
    /// From the app to the network.
    public var up: DirectionCounters
    /// From the network to the app.
    public var down: DirectionCounters

    /// Describes a link; without arguments one that nothing has passed.
    public init(
        up: DirectionCounters = DirectionCounters(), down: DirectionCounters = DirectionCounters()
    ) {
        self.up = up
        self.down = down
    }

    /// The same with the mean rates over `duration`.
    public func averaged(over duration: Duration) -> LinkCounters {
        LinkCounters(up: up.averaged(over: duration), down: down.averaged(over: duration))
    }

    /// What was counted on two links together.
    public static func + (left: LinkCounters, right: LinkCounters) -> LinkCounters {
        LinkCounters(up: left.up + right.up, down: left.down + right.down)
    }
}
