/// The traffic on a link since it was conditioned.
public struct LinkCounters: Sendable, Hashable, Codable {
    /// From the app to the network.
    public var up: DirectionCounters
    /// From the network to the app.
    public var down: DirectionCounters

    /// Makes counters; without arguments, those of a link without traffic.
    public init(
        up: DirectionCounters = DirectionCounters(), down: DirectionCounters = DirectionCounters()
    ) {
        self.up = up
        self.down = down
    }

    /// The same counters with the mean rates over `duration`.
    public func averaged(over duration: Duration) -> LinkCounters {
        LinkCounters(up: up.averaged(over: duration), down: down.averaged(over: duration))
    }

    /// The sum of the counters of two links.
    public static func + (left: LinkCounters, right: LinkCounters) -> LinkCounters {
        LinkCounters(up: left.up + right.up, down: left.down + right.down)
    }
}
