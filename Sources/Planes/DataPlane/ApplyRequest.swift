public import LinkModel

/// The request of `apply`.
public struct ApplyRequest: Sendable, Hashable, Codable {
    /// The conditions.
    public var conditions: LinkConditions
    /// The profile name that `status` shows.
    public var profile: String
    /// The name that distinguishes these conditions from others of the same interface.
    public var name: String
    /// The traffic to condition.
    public var selector: TrafficSelector
    /// The interfaces; if empty, all that carry default routes of IPv4 or IPv6.
    public var interfaces: [String]
    /// Whether to add all interfaces that are up, except the loopback interface and linkcond's own.
    public var isForAllInterfaces = false
    /// The directions to condition.
    public var directions: [Direction]
    /// Whether the interface leads to the apps, as a router's does, and not to the network: what
    /// arrives at it goes up.
    public var facesApps = false
    /// Whether to change an interface that is already conditioned.
    public var replaces: Bool
    /// Whether to continue if filters of other programs see packets first.
    public var isForced: Bool
    /// The seed of the packet engine; nil: a random one.
    public var seed: UInt64?
    /// The current time, in seconds since 1970.
    public var now: Int64
    /// When the conditions end automatically; nil: never.
    public var limit: TimeLimit?

    /// The name of conditions without a name of their own.
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

    /// The direction of the link in which packets go that pass the interface in `direction`.
    public func linkDirection(of direction: Direction) -> Direction {
        facesApps ? direction.opposite : direction
    }
}
