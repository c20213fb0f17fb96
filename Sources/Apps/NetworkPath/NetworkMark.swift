/// What an override says of an interface: a mark that the kernel keeps with it.
///
/// The mark is a token at the end of the interface's alias (`ip link show`), behind whatever text
/// others have put there: `uplink of rack 7 [linkcond:1 exp con]`. So it belongs to the network
/// namespace of the interface, follows it through renames, vanishes with it, is read without
/// privileges, and its changes are events of rtnetlink. It is written by `linkcond override`; a
/// sandbox of `linkcond run` says in the same way what its interface is.
public struct NetworkMark: Hashable, Sendable {
    /// What traffic costs.
    public enum Cost: String, Hashable, Sendable, CaseIterable, Codable {
        /// What the kind of interface tells: a mobile network or a hotspot is expensive.
        case `default`
        /// Nothing by volume, whatever the kind.
        case inexpensive
        /// Money by volume.
        case expensive
    }

    /// What traffic costs.
    public var cost: Cost
    /// Whether it is in Low Data Mode; nil for what the kind of interface tells.
    public var isConstrained: Bool?
    /// What carries its packets; nil for what the kernel says.
    public var kind: NetworkInterface.Kind?
    /// Whether it is a phone's hotspot, which is expensive and constrained by itself.
    public var isHotspot: Bool
    /// Whether it goes before others. The routes that make it so are another matter.
    public var isPreferred: Bool
    /// When the override ends by itself, in seconds since 1970; nil: never.
    public var until: Int64?
    /// The name of the process that will end it.
    public var watcher: String?
    /// Words of later versions, which are kept.
    public var unknownWords: [String]

    /// Says what is given, and without arguments nothing.
    public init(
        cost: Cost = .default, isConstrained: Bool? = nil, kind: NetworkInterface.Kind? = nil,
        isHotspot: Bool = false, isPreferred: Bool = false, until: Int64? = nil,
        watcher: String? = nil, unknownWords: [String] = []
    ) {
        self.cost = cost
        self.isConstrained = isConstrained
        self.kind = kind
        self.isHotspot = isHotspot
        self.isPreferred = isPreferred
        self.until = until
        self.watcher = watcher
        self.unknownWords = unknownWords
    }

    /// Whether it says nothing, so that no token is needed.
    public var isEmpty: Bool { self == NetworkMark() }

    /// What carries the packets of an interface with this mark, which without it is of `kind`.
    public func kind(insteadOf kind: NetworkInterface.Kind) -> NetworkInterface.Kind {
        self.kind ?? (isHotspot ? .wifi : kind)
    }

    /// Whether an interface with this mark, which without it is of `kind`, costs money by volume.
    public func makesExpensive(_ kind: NetworkInterface.Kind) -> Bool {
        switch cost {
        case .expensive: true
        case .inexpensive: false
        case .default: isHotspot || self.kind(insteadOf: kind) == .cellular
        }
    }

    /// Whether an interface with this mark is in Low Data Mode.
    public var makesConstrained: Bool { isConstrained ?? isHotspot }
}
