public import LinkModel

/// The delivery traces that conditions name as files, read.
public struct LinkTraces: Sendable, Hashable {
    /// That of `LinkConditions.down`.
    public var down: DeliveryTrace?
    /// That of `LinkConditions.up`.
    public var up: DeliveryTrace?

    /// Takes what was read; by default nothing.
    public init(down: DeliveryTrace? = nil, up: DeliveryTrace? = nil) {
        self.down = down
        self.up = up
    }

    /// That of one direction.
    public subscript(direction: LinkDirection) -> DeliveryTrace? {
        get { direction == .up ? up : down }
        set { if direction == .up { up = newValue } else { down = newValue } }
    }
}
