public import LinkModel
import TrafficControl

/// What `apply` is asked for.
public struct ApplyRequest: Sendable, Hashable {
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
        isForced: Bool = false, now: Int64
    ) {
        self.conditions = conditions
        self.profile = profile
        self.name = name
        self.selector = selector
        self.interfaces = interfaces
        self.directions = directions
        self.replaces = replaces
        self.isForced = isForced
        self.now = now
    }

    /// The directions as they are marked and carried out on one interface.
    func planned(
        target: Int32, link: ConditionedLink, madeClsact: Bool, slot: Int = 0,
        replacing old: [FoundDirection] = []
    ) throws(UnsupportedConditions) -> [PlannedDirection] {
        try checkFilters()
        let conditions = conditions.withExplicitLoss
        var planned: [PlannedDirection] = []
        for direction in Direction.allCases where directions.contains(direction) {
            let part = direction.conditions(of: conditions)
            let mark = OwnershipMark(
                direction: direction, target: target, since: now, madeClsact: madeClsact,
                distribution: part.jitter?.distribution, profile: profile, name: name, slot: slot,
                selection: selector.text, limit: limit)
            let tree = try ConditioningTree(
                part, dnsDelay: direction == .up ? conditions.dnsDelay : nil,
                on: Ownership.ifb(of: target, direction, slot: slot), target: link,
                replacing: old.first { $0.mark.direction == direction }?.tree)
            planned.append(PlannedDirection(mark: mark, tree: tree, selector: selector))
        }
        return planned
    }

    /// One table of u32 holds two thousand, and every packet has to pass them all.
    private static let mostFilters = 1000

    private func checkFilters() throws(UnsupportedConditions) {
        for direction in directions {
            let selection = U32Selection(selector, direction)
            let count = Filter.NetworkProtocol.allCases.map { selection.rules(for: $0).count }.max()
            guard count ?? 0 <= Self.mostFilters else {
                throw UnsupportedConditions(
                    "a choice of so many addresses and ports",
                    "it takes \(count ?? 0) filters, and \(Self.mostFilters) are the most; "
                        + "choose fewer, or larger networks and ranges")
            }
        }
    }

    /// The plan for an Ethernet interface of which only the name is known, for showing it.
    public func examplePlan(interface name: String) throws(UnsupportedConditions) -> InterfacePlan {
        let directions = try planned(
            target: 1, link: ConditionedLink(mtu: 1500, headerLength: 14), madeClsact: true)
        return .create(
            Interface(index: 1, name: name), directions, hasClsact: false)
    }
}

/// What `apply` did.
public struct ApplyReport: Sendable {
    /// What was carried out, one plan for each interface.
    public var plans: [InterfacePlan]
    /// How many system calls it took to send it all.
    public var sentDatagrams: Int

    /// How many netlink messages were sent.
    public var messageCount: Int { plans.reduce(0) { $0 + $1.allOperations.count } }
}
