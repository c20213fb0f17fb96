public import LinkModel

/// What `apply` is asked for.
public struct ApplyRequest: Sendable, Hashable, Codable {
    /// The conditions.
    public var conditions: LinkConditions
    /// The name under which `status` shows them.
    public var profile: String
    /// The name that tells these conditions from others of the same interface.
    public var name: String
    /// The traffic that is conditioned.
    public var selector: TrafficSelector
    /// The interfaces; none means all that carry default routes of IPv4 or IPv6.
    public var interfaces: [String]
    /// Whether all interfaces that are up are meant, beside those named: without the loopback
    /// interface and linkcond's own.
    public var isForAllInterfaces = false
    /// The directions to be conditioned.
    public var directions: [Direction]
    /// Whether an interface that is conditioned already is changed.
    public var replaces: Bool
    /// Whether to go on where filters of other programs see packets first.
    public var isForced: Bool
    /// Where the random numbers of the packet engine begin; nil: anywhere.
    public var seed: UInt64?
    /// The time, in seconds since 1970.
    public var now: Int64
    /// When the conditions end by themselves; nil: never.
    public var limit: TimeLimit?

    /// The name of conditions that were given none.
    public static let defaultName = "default"

    /// Makes a request.
    public init(
        conditions: LinkConditions, profile: String, name: String = defaultName,
        selector: TrafficSelector = .everything, interfaces: [String] = [],
        directions: [Direction] = Direction.allCases, replaces: Bool = false,
        isForced: Bool = false, seed: UInt64? = nil, now: Int64
    ) {
        self.conditions = conditions
        self.profile = profile
        self.name = name
        self.selector = selector
        self.interfaces = interfaces
        self.directions = directions
        self.replaces = replaces
        self.isForced = isForced
        self.seed = seed
        self.now = now
    }
}
