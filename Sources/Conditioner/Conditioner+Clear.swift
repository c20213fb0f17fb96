import LinkModel
import LinuxKernel
import Netlink
import SystemPackage
import TrafficControl

extension Conditioner {
    /// Takes away what linkcond added to the interfaces `names`, or to all of the namespace for
    /// nil, whoever added it and however that process ended; with `conditions` only what was
    /// applied under that name.
    ///
    /// Requires `CAP_NET_ADMIN`. Returns the names of the interfaces that were conditioned.
    @discardableResult
    public func clear(
        _ names: [String]?, conditions: String? = nil
    ) throws(ConditionerError) -> [String] {
        guard Privilege.mayChangeNetwork else {
            throw .missingPrivilege("clearing an interface")
        }
        let access = try ExclusiveAccess(environment: environment)
        access.removeLeftovers()
        let selected = try names.map { names throws(ConditionerError) in
            Set(try links(named: names).map(\.index))
        }
        let (cleared, known) = try clear(selected, conditions, access)
        if let conditions, cleared.isEmpty {
            throw .noSuchConditions(name: conditions, known: known)
        }
        return cleared
    }

    /// Takes away what a watcher is to end, and nothing that was applied later.
    ///
    /// Requires `CAP_NET_ADMIN`. Returns the names of the interfaces that were conditioned.
    @discardableResult
    public func clear(endedBy watcher: String) throws(ConditionerError) -> [String] {
        let access = try ExclusiveAccess(environment: environment)
        let marks = try marks(endedBy: watcher)
        guard let name = marks.first?.name else { return [] }
        return try clear(Set(marks.map(\.target)), name, access).names
    }

    /// The marks of what a watcher is to end.
    func marks(endedBy watcher: String) throws(ConditionerError) -> [OwnershipMark] {
        try Self.mapping { () throws(NetlinkError) in try Inventory.ifbs(session) }.map(\.mark)
            .filter { $0.limit?.watcher == watcher }
    }

    /// Clears the interfaces of these indexes, or all for nil; also returns the names of all
    /// conditions there were.
    private func clear(
        _ selected: Set<Int32>?, _ conditions: String?, _ access: borrowing ExclusiveAccess
    ) throws(ConditionerError) -> (names: [String], known: [String]) {
        let journal = try Self.mapping { () throws(KernelError) in
            try Journal(access.directory)
        }
        let (plans, known) = try Self.mapping { () throws(NetlinkError) in
            try clearPlans(of: selected, conditions, journal)
        }
        let isAll = selected == nil && conditions == nil
        let operations = isAll ? try together(plans) : plans.flatMap(\.operations)
        do {
            try PlanExecutor(session: session).remove(operations)
        } catch {
            throw .refused(
                interface: PlanExecutor.names(of: plans), error, isUndone: false)
        }
        if let conditions {
            for plan in plans { journal.erase(conditions, of: plan.interface.index) }
        } else {
            for index in selected ?? Set(journal.entries().map(\.index)) { journal.erase(index) }
        }
        try dismissWatchers(plans.reduce(into: []) { $0.formUnion($1.formerWatchers) }, access)
        return (plans.map(\.interface.name), known)
    }

    /// Ends those of `watchers` that have nothing left to end in this namespace.
    func dismissWatchers(
        _ watchers: Set<String>, _ access: borrowing ExclusiveAccess
    ) throws(ConditionerError) {
        guard !watchers.isEmpty else { return }
        let ifbs = try Self.mapping { () throws(NetlinkError) in try Inventory.ifbs(session) }
        let needed = Set(ifbs.compactMap(\.mark.limit?.watcher))
        WatcherFile.dismiss(watchers.subtracting(needed), in: access.directory)
    }

    /// What takes the conditions away, by interface, and the names of all that there are.
    private func clearPlans(
        of selected: Set<Int32>?, _ name: String?, _ journal: Journal
    ) throws(NetlinkError) -> (plans: [InterfacePlan], known: [String]) {
        let inventory = try Inventory(session, of: selected)
        var plans: [InterfacePlan] = []
        for index in Set(inventory.directions.map(\.mark.target) + inventory.hooked).sorted() {
            let standing = inventory.directions(of: index)
            let entry = journal.entry(index)
            let directions = standing.filter { $0.mark.name == name ?? $0.mark.name }
            // Without its ifbs only the journal knows where the filters of a name stand.
            let slots = name.map {
                Set(directions.map(\.mark.slot) + [entry?.conditions?[$0]?.slot ?? -1])
            }
            var filters: [FilterPlace: Set<FilterPlace.Group>] = [:]
            var isInUse = directions.count < standing.count
            if inventory.hooked.contains(index) {
                let found = try HookFilters(session, interface: index)
                filters = found.ours.filter { slots?.contains($0.key.slot) ?? true }
                isInUse = isInUse || !found.foreign.isEmpty || filters.count < found.ours.count
            }
            guard !filters.isEmpty || !directions.isEmpty else { continue }
            let madeClsact = standing.first?.mark.madeClsact ?? entry?.madeClsact ?? false
            let link = try session.get([Link.get(index: index)])[0].flatMap(Link.init)
            var plan = InterfacePlan.clear(
                Interface(index: index, name: link?.name ?? "index \(index)"),
                filters: filters, ifbs: directions.map(\.ifb),
                removesClsact: madeClsact && !isInUse && inventory.hooked.contains(index))
            plan.formerWatchers = Set(directions.compactMap(\.mark.limit?.watcher))
            plans.append(plan)
        }
        return (plans, Set(inventory.directions.map(\.mark.name)).sorted())
    }

    /// All ifbs with one operation: the kernel takes as long for one as for hundreds.
    private func together(
        _ plans: [InterfacePlan]
    ) throws(ConditionerError) -> [TrafficOperation] {
        let operations = plans.flatMap(\.operations)
        let links = try Self.mapping { () throws(NetlinkError) in try session.links() }
        let group = links.filter { $0.group == Ownership.group }
        guard !group.isEmpty, group.allSatisfy({ OwnershipMark(alias: $0.alias) != nil }) else {
            return operations
        }
        let rest = operations.filter { if case .deleteLink = $0 { false } else { true } }
        return rest + [.deleteOwnLinks]
    }
}
