public import LinkModel
import LinuxKernel
import Netlink
import TrafficControl

/// Conditions on an interface, as the kernel has them.
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
    /// The name that tells these conditions from others of the interface; empty where nothing
    /// tells it any more.
    public var name: String
    /// The traffic that is conditioned, as options of the command line; none for all of it.
    public var selectors: [String]
    /// The name of the profile.
    public var profile: String
    /// When it was conditioned, in seconds since 1970.
    public var since: Int64
    /// When they end by themselves, and who sees to that; nil: not before they are cleared.
    public var limit: TimeLimit?
    /// The conditioned directions.
    public var ways: [Direction: Way]
    /// Extra delay of outgoing DNS.
    public var dnsDelay: Duration?
    /// What another program has broken, and the way out; nil if all is well.
    public var problem: String?
}

extension Conditioner {
    /// All conditions of the namespace, by interface and in the order in which they choose their
    /// traffic. Needs no privilege.
    public func status() throws(ConditionerError) -> [ConditionedInterface] {
        try Self.mapping { () throws(NetlinkError) -> [ConditionedInterface] in
            let inventory = try Inventory(session)
            var conditioned: [ConditionedInterface] = []
            let targets = Set(inventory.directions.map(\.mark.target))
            for index in targets.union(inventory.hooked) {
                conditioned += try status(of: index, in: inventory)
            }
            return conditioned.sorted { $0.interface < $1.interface }
        }
    }

    /// What stands on one interface.
    private func status(
        of index: Int32, in inventory: Inventory
    ) throws(NetlinkError) -> [ConditionedInterface] {
        let directions = completed(inventory.directions(of: index))
        let hooks =
            inventory.hooked.contains(index)
            ? try HookFilters(session, interface: index).ours : [:]
        var link = inventory.targets[index]
        if link == nil, !hooks.isEmpty {
            link = try session.get([Link.get(index: index)])[0].flatMap(Link.init)
        }
        let filters = Set(hooks.keys)
        let slots = Set(directions.map(\.mark.slot)).union(filters.map(\.slot))
        return slots.compactMap { slot -> (FilterPlace, ConditionedInterface)? in
            let found = directions.filter { $0.mark.slot == slot }
            let places = filters.filter { $0.slot == slot }
            guard let place = found.first?.mark.place ?? places.first else { return nil }
            return (place, status(link, index, found, places))
        }.sorted { $0.0.precedes($1.0) }.map(\.1)
    }

    private func status(
        _ link: Link?, _ index: Int32, _ directions: [FoundDirection], _ filters: Set<FilterPlace>
    ) -> ConditionedInterface {
        let headerLength = link.map(ConditionedLink.init)?.headerLength ?? 0
        var ways: [Direction: ConditionedInterface.Way] = [:]
        for found in directions {
            ways[found.mark.direction] = ConditionedInterface.Way(
                conditions: found.conditions(headerLength: headerLength),
                counters: found.counters(headerLength: headerLength))
        }
        let mark = directions.first?.mark
        let limit = mark?.limit
        return ConditionedInterface(
            interface: link?.name ?? "index \(index)", name: mark?.name ?? "",
            selectors: mark?.selectorWords ?? [], profile: mark?.profile ?? "unknown",
            since: directions.map(\.mark.since).max() ?? 0, limit: limit, ways: ways,
            dnsDelay: directions.compactMap(\.dnsDelay).first,
            problem: link == nil
                ? "the interface is gone; linkcond clear removes what was left of its conditions"
                : Self.problem(Set(directions.map(\.mark.direction)), Set(filters.map(\.direction)))
                    ?? limit.flatMap(problem(with:))
        )
    }

    /// What is wrong where there are ifbs for the directions `found` and filters for `filters`.
    private static func problem(
        _ found: Set<Direction>, _ filters: Set<Direction>
    ) -> String? {
        guard !found.isEmpty else {
            return lost(filters.map(\.rawValue).sorted().joined(separator: " and "))
        }
        for way in Direction.allCases {
            if found.contains(way), !filters.contains(way) {
                return "another program took the filters of the way \(way.rawValue) away, "
                    + "so that it is not conditioned; linkcond clear, then apply again"
            }
            if filters.contains(way), !found.contains(way) { return lost(way.rawValue) }
        }
        return nil
    }

    private static func lost(_ ways: String) -> String {
        "another program took the ifb of the way \(ways) away, so that all its packets are lost; "
            + "linkcond clear, then apply again"
    }

    /// The same with what the journal knows of selections for which a mark had no room.
    func completed(_ directions: [FoundDirection]) -> [FoundDirection] {
        guard directions.contains(where: { $0.mark.selector == nil }) else { return directions }
        let journals = StateDirectory.existing(environment: environment).compactMap {
            try? Journal($0)
        }
        return directions.map { found in
            var found = found
            let mark = found.mark
            let known = journals.lazy.compactMap { $0.entry(mark.target)?.conditions?[mark.name] }
                .first?.selection
            if let known, mark.isShortened(from: known) { found.mark.selection = known }
            return found
        }
    }
}

extension OwnershipMark {
    /// Whether the alias had no room for all of `selection`.
    fileprivate func isShortened(from full: String) -> Bool {
        selection.hasSuffix("~") && full.hasPrefix(selection.dropLast())
    }

    /// The selection as options of the command line, or what is known of it.
    fileprivate var selectorWords: [String] { selector?.commandLine ?? [selection] }
}
