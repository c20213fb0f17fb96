public import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import TrafficControl

extension KernelPlane {
    /// All conditions of the namespace, by interface and in their order of precedence. Requires no
    /// privilege.
    public func status() throws(KernelPlaneError) -> [ConditionedInterface] {
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

    /// The conditions of one interface.
    private func status(
        of index: Int32, in inventory: Inventory
    ) throws(NetlinkError) -> [ConditionedInterface] {
        let directions = completed(inventory.directions(of: index))
        let hooks =
            inventory.hooked.contains(index)
            ? try HookFilters(session, interface: index).groups : [:]
        var link = inventory.targets[index]
        if link == nil, !hooks.isEmpty {
            link = try session.get([Link.get(index: index)])[0].flatMap(Link.init)
        }
        let slots = Set(directions.map(\.mark.slot)).union(hooks.keys.map(\.slot))
        return slots.compactMap { slot -> (FilterPlace, ConditionedInterface)? in
            let found = directions.filter { $0.mark.slot == slot }
            let damage = Damage(
                directions: found, groups: hooks.filter { $0.key.slot == slot },
                unmarked: inventory.unmarked.filter { $0.target == index && $0.slot == slot })
            guard let place = found.first?.mark.place ?? damage.groups.keys.first else {
                return nil
            }
            return (place, status(link, index, found, damage))
        }.sorted { $0.0.precedes($1.0) }.map(\.1)
    }

    private func status(
        _ link: Link?, _ index: Int32, _ directions: [FoundDirection], _ damage: Damage
    ) -> ConditionedInterface {
        let headerLength = link.map(ConditionedLink.init)?.headerLength ?? 0
        let mark = directions.first?.mark
        var status = ConditionedInterface(
            by: .kernel, on: link?.name ?? "index \(index)", index: index, name: mark?.name ?? "",
            profile: mark?.profile ?? "unknown", since: directions.map(\.mark.since).max() ?? 0,
            limit: mark?.limit)
        status.slot = mark?.slot ?? 0
        status.selection = mark?.selection ?? ""
        for found in directions {
            status.directions[found.mark.direction] = ConditionedDirection(
                found.conditions(headerLength: headerLength),
                found.counters(headerLength: headerLength))
        }
        status.dnsDelay = directions.compactMap(\.dnsDelay).first
        status.problem =
            if let link {
                damage.problem(on: ConditionedLink(link)) ?? status.limit?.problem(environment)
            } else {
                "the interface is gone; linkcond clear removes what was left of its conditions"
            }
        return status
    }

    /// Adds the selections from the journal that did not fit into a mark.
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
    /// Whether `selection` did not fully fit into the alias.
    fileprivate func isShortened(from full: String) -> Bool {
        selection.hasSuffix("~") && full.hasPrefix(selection.dropLast())
    }
}
