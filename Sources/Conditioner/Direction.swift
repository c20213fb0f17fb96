public import LinkModel

/// One of the two ways through an interface.
public enum Direction: String, Sendable, Hashable, CaseIterable {
    /// From the app: the egress of its interface.
    case up
    /// Toward the app: the ingress of its interface.
    case down

    /// The conditions of this direction.
    public func conditions(of link: LinkConditions) -> DirectionConditions {
        self == .up ? link.up : link.down
    }
}
