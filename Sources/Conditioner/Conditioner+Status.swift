public import LinkModel
import Netlink
import TrafficControl

/// An interface that linkcond conditions, as the kernel has it.
public struct ConditionedInterface: Sendable, Hashable {
    /// The conditions and counters of one direction.
    public struct Way: Sendable, Hashable {
        /// What the qdiscs do.
        public var conditions: DirectionConditions
        /// What went through them.
        public var counters: DirectionCounters
    }

    /// The name of the interface; for one that is gone its former index.
    public var interface: String
    /// The name of the profile.
    public var profile: String
    /// When it was conditioned, in seconds since 1970.
    public var since: Int64
    /// The conditioned directions.
    public var ways: [Direction: Way]
    /// Extra delay of outgoing DNS.
    public var dnsDelay: Duration?
    /// What another program has broken, and the way out; nil if all is well.
    public var problem: String?
}

extension Conditioner {
    /// All conditioned interfaces of the namespace, by name. Needs no privilege.
    public func status() throws(ConditionerError) -> [ConditionedInterface] {
        try Self.mapping { () throws(NetlinkError) -> [ConditionedInterface] in
            let inventory = try Inventory(session)
            var conditioned: [ConditionedInterface] = []
            let targets = Set(inventory.directions.map(\.mark.target))
            for target in targets {
                conditioned.append(try status(of: target, in: inventory))
            }
            for index in inventory.hooked.subtracting(targets) {
                if let found = try stranded(index) { conditioned.append(found) }
            }
            return conditioned.sorted { $0.interface < $1.interface }
        }
    }

    private func status(
        of target: Int32, in inventory: Inventory
    ) throws(NetlinkError) -> ConditionedInterface {
        let directions = inventory.directions(of: target)
        let link = inventory.targets[target]
        let headerLength = link.map(ConditionedLink.init)?.headerLength ?? 0
        var ways: [Direction: ConditionedInterface.Way] = [:]
        for found in directions {
            ways[found.mark.direction] = ConditionedInterface.Way(
                conditions: found.conditions(headerLength: headerLength),
                counters: found.counters(headerLength: headerLength))
        }
        return ConditionedInterface(
            interface: link?.name ?? "index \(target)", profile: directions[0].mark.profile,
            since: directions.map(\.mark.since).max() ?? 0, ways: ways,
            dnsDelay: directions.compactMap(\.dnsDelay).first,
            problem: try problem(link, directions))
    }

    private func problem(
        _ link: Link?, _ directions: [FoundDirection]
    ) throws(NetlinkError) -> String? {
        guard let link else {
            return "the interface is gone; linkcond clear removes what was left of its conditions"
        }
        let filters = try HookFilters(session, interface: link.index).ours
        let found = Set(directions.map(\.mark.direction))
        for way in Direction.allCases {
            if found.contains(way), !filters.contains(way) {
                return "another program took the filters of the way \(way.rawValue) away, "
                    + "so that it is not conditioned; linkcond clear, then apply again"
            }
            if filters.contains(way), !found.contains(way) { return Self.lost(way.rawValue) }
        }
        return nil
    }

    /// An interface whose packets our filters send to ifbs that are gone; nil for any other.
    private func stranded(_ index: Int32) throws(NetlinkError) -> ConditionedInterface? {
        let ways = try HookFilters(session, interface: index).ours
        guard !ways.isEmpty,
            let link = try session.get([Link.get(index: index)])[0]
                .flatMap(Link.init)
        else { return nil }
        return ConditionedInterface(
            interface: link.name, profile: "unknown", since: 0, ways: [:], dnsDelay: nil,
            problem: Self.lost(ways.map(\.rawValue).sorted().joined(separator: " and ")))
    }

    private static func lost(_ ways: String) -> String {
        "another program took the ifb of the way \(ways) away, so that all its packets are lost; "
            + "linkcond clear, then apply again"
    }
}
