public import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import SystemPackage
import TrafficControl

extension KernelPlane {
    /// Removes what linkcond added, whoever did so and however that process ended.
    public func clear(
        _ indices: Set<Int32>?, name: String?, _ state: HostState
    ) throws -> ClearReport {
        guard Privilege.mayChangeNetwork else {
            throw KernelPlaneError.missingPrivilege("clearing an interface")
        }
        let directory = try Self.mapping { () throws(KernelError) in try state.directory }
        Self.removeLeftovers(in: directory)
        let journal = try Self.mapping { () throws(KernelError) in try Journal(directory) }
        let (plans, known) = try Self.mapping { () throws(NetlinkError) in
            try clearPlans(of: indices, name, journal)
        }
        let isAll = indices == nil && name == nil
        let operations = isAll ? try together(plans) : plans.flatMap(\.allOperations)
        do {
            try PlanExecutor(session: session).remove(operations)
        } catch {
            throw KernelPlaneError.refused(
                interface: PlanExecutor.names(of: plans), error, isUndone: false)
        }
        if let name {
            for plan in plans { journal.erase(name, of: plan.interface.index) }
        } else {
            for index in indices ?? Set(journal.entries().map(\.index)) { journal.erase(index) }
        }
        return ClearReport(
            interfaces: plans.map(\.interface.name), names: known,
            formerWatchers: plans.reduce(into: []) { $0.formUnion($1.formerWatchers) })
    }

    /// The plans that remove the conditions of each interface, and the names of all conditions.
    private func clearPlans(
        of selected: Set<Int32>?, _ name: String?, _ journal: Journal
    ) throws(NetlinkError) -> (plans: [InterfacePlan], known: Set<String>) {
        let inventory = try Inventory(session, of: selected)
        var plans: [InterfacePlan] = []
        let targets = inventory.directions.map(\.mark.target) + inventory.unmarked.map(\.target)
        for index in Set(targets + inventory.hooked).sorted() {
            let standing = inventory.directions(of: index)
            let entry = journal.entry(index)
            let directions = standing.filter { $0.mark.name == name ?? $0.mark.name }
            // Without its ifbs only the journal knows the filter slot of a name.
            let slots = name.map {
                Set(directions.map(\.mark.slot) + [entry?.conditions?[$0]?.slot ?? -1])
            }
            let unmarked = inventory.unmarked.filter {
                $0.target == index && slots?.contains($0.slot) ?? true
            }.map(\.ifb)
            var filters: [FilterPlace: Set<FilterPlace.Group>] = [:]
            var isInUse = directions.count < standing.count
            var guards: [FilterPlace: Set<FilterPlace.Group>] = [:]
            if inventory.hooked.contains(index) {
                let found = try HookFilters(session, interface: index)
                guards = found.guards
                filters = found.groups.filter { slots?.contains($0.key.slot) ?? true }
                isInUse = isInUse || !found.foreign.isEmpty || filters.count < found.groups.count
            }
            let hasStrayGuard = name == nil && !guards.isEmpty
            guard !filters.isEmpty || !directions.isEmpty || !unmarked.isEmpty || hasStrayGuard
            else { continue }
            let madeClsact =
                standing.isEmpty
                ? entry?.madeClsact ?? false : standing.contains(where: \.mark.madeClsact)
            let link = try session.get([Link.get(index: index)])[0].flatMap(Link.init)
            var plan = InterfacePlan.clear(
                Interface(index: index, name: link?.name ?? "index \(index)"),
                filters: filters, ifbs: directions.map(\.ifb) + unmarked,
                removesClsact: madeClsact && !isInUse && inventory.hooked.contains(index))
            if !guards.isEmpty {
                let rest = standing.filter { name != nil && $0.mark.name != name }
                plan.replaceGuards(
                    guards, for: completed(rest).selectors, link.map(FilterForm.init) ?? .words)
            }
            plan.formerWatchers = Set(directions.compactMap(\.mark.limit?.watcher))
            plans.append(plan)
        }
        return (plans, Set(inventory.directions.map(\.mark.name)))
    }

    /// Deletes all ifbs in one operation: the kernel takes as long for one as for hundreds.
    private func together(
        _ plans: [InterfacePlan]
    ) throws(KernelPlaneError) -> [TrafficOperation] {
        let operations = plans.flatMap(\.operations)
        let links = try Self.mapping { () throws(NetlinkError) in try session.links() }
        let group = links.filter { $0.isOwn }
        guard !group.isEmpty, group.allSatisfy({ OwnershipMark(alias: $0.alias) != nil }) else {
            return operations
        }
        let members = Set(group.map(\.index))
        let rest = operations.filter {
            if case .deleteLink(let ifb) = $0 { !members.contains(ifb.index) } else { true }
        }
        return rest + [.deleteOwnLinks]
    }
}
