public import LinkModel

/// The contents of the delivery traces that conditions name as files.
public struct LinkTraces: Sendable, Hashable {
    /// The trace of `LinkConditions.down`.
    public var down: DeliveryTrace?
    /// The trace of `LinkConditions.up`.
    public var up: DeliveryTrace?

    /// Combines the traces that were read; by default none.
    public init(down: DeliveryTrace? = nil, up: DeliveryTrace? = nil) {
        self.down = down
        self.up = up
    }

    /// The trace of one direction.
    public subscript(direction: LinkDirection) -> DeliveryTrace? {
        get { direction == .up ? up : down }
        set { if direction == .up { up = newValue } else { down = newValue } }
    }
}
