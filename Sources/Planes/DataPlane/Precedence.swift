public import LinkModel

/// Decides which of an interface's conditions apply to a packet.
public struct Precedence: Sendable, Hashable {
    /// Their name.
    public var name: String
    /// Their slot on the interface.
    public var slot: Int
    /// The traffic that they choose; nil if unknown.
    public var selector: TrafficSelector?
    /// Whether they choose only some traffic.
    public var isSelective: Bool
    /// Their directions.
    public var directions: Set<Direction>

    /// Makes the precedence of conditions.
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

    /// Conditions for some traffic precede those for all traffic; otherwise the lower slot wins.
    private var order: (Int, Int) { (isSelective ? 0 : 1, slot) }

    /// The names of those of `standing`, on the same interface, that precede these and may choose
    /// the same packets.
    public func precedents(among standing: [Precedence]) -> [String] {
        standing.filter { other in
            other.name != name && other.order < order
                && !other.directions.isDisjoint(with: directions)
                && (selector.flatMap { other.selector?.overlaps($0) } ?? true)
        }.sorted { $0.order < $1.order }.map(\.name)
    }
}
