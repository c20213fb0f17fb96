/// One of the two directions of a link.
public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
    /// From the app to the network: the egress of the app's interface.
    case up
    /// From the network to the app: the ingress of the app's interface.
    case down

    /// The other direction.
    public var opposite: Direction { self == .up ? .down : .up }

    /// The conditions of this direction.
    public func conditions(of link: LinkConditions) -> DirectionConditions {
        self == .up ? link.up : link.down
    }
}
