public import LinkModel

/// What decides which of the conditions of an interface a packet gets.
public struct Precedence: Sendable, Hashable {
    /// Their name.
    public var name: String
    /// Their number among those of the interface.
    public var slot: Int
    /// Which traffic they choose; nil if that cannot be told.
    public var selector: TrafficSelector?
    /// Whether they choose among the traffic.
    public var isSelective: Bool
    /// Their directions.
    public var directions: Set<Direction>

    /// Describes conditions.
    public init(
        name: String, slot: Int, selector: TrafficSelector?, isSelective: Bool,
        directions: Set<Direction>
    ) {
        self.name = name
        self.slot = slot
        self.selector = selector
        self.isSelective = isSelective
        self.directions = directions
    }

    /// The conditions of `request` in a slot.
    public init(_ request: ApplyRequest, slot: Int) {
        self.init(
            name: request.name, slot: slot, selector: request.selector,
            isSelective: request.selector.isSelective, directions: Set(request.directions))
    }

    /// What chooses some traffic comes before what is for all, and else what came first.
    private var order: (Int, Int) { (isSelective ? 0 : 1, slot) }

    /// The names of those of `standing`, on the same interface, that come before these and may
    /// choose the same packets.
    public func precedents(among standing: [Precedence]) -> [String] {
        standing.filter { other in
            other.name != name && other.order < order
                && !other.directions.isDisjoint(with: directions)
                && (selector.flatMap { other.selector?.overlaps($0) } ?? true)
        }.sorted { $0.order < $1.order }.map(\.name)
    }
}
