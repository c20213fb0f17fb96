import LinkModel
import LinuxKernel
import Netlink
import SystemPackage
import TrafficControl

extension Conditioner {
    /// Takes away what linkcond added to the interfaces `names`, or to all of the namespace for
    /// nil, whoever added it and however that process ended.
    ///
    /// Requires `CAP_NET_ADMIN`. Returns the names of the interfaces that were conditioned.
    @discardableResult
    public func clear(_ names: [String]?) throws(ConditionerError) -> [String] {
        guard Privilege.mayChangeNetwork else {
            throw .missingPrivilege("clearing an interface")
        }
        let access = try ExclusiveAccess(environment: environment)
        let journal = try Self.mapping { () throws(KernelError) in
            try Journal(access.directory)
        }
        let selected = try names.map { names throws(ConditionerError) in
            Set(try links(named: names).map(\.index))
        }
        let plans = try Self.mapping { () throws(NetlinkError) in
            try clearPlans(of: selected, journal)
        }
        let operations = try names == nil ? together(plans) : plans.flatMap(\.operations)
        do {
            try PlanExecutor(session: session).remove(operations)
        } catch {
            throw .refused(
                interface: PlanExecutor.names(of: plans), error, isUndone: false)
        }
        let forgotten = selected ?? Set(journal.entries().map(\.index))
        for index in forgotten { journal.erase(index) }
        return plans.map(\.interface.name)
    }

    private func clearPlans(
        of selected: Set<Int32>?, _ journal: Journal
    ) throws(NetlinkError) -> [InterfacePlan] {
        let inventory = try Inventory(session, of: selected)
        var plans: [InterfacePlan] = []
        for index in Set(inventory.directions.map(\.mark.target) + inventory.hooked).sorted() {
            let directions = inventory.directions(of: index)
            var ours: Set<Direction> = []
            var hasForeign = false
            if inventory.hooked.contains(index) {
                let filters = try HookFilters(session, interface: index)
                ours = filters.ours
                hasForeign = !filters.foreign.isEmpty
            }
            guard !ours.isEmpty || !directions.isEmpty else { continue }
            let madeClsact =
                directions.first?.mark.madeClsact ?? journal.entry(index)?.madeClsact ?? false
            let link = try session.get([Link.get(index: index)])[0].flatMap(Link.init)
            plans.append(
                .clear(
                    Interface(index: index, name: link?.name ?? "index \(index)"),
                    filtersOf: ours.sorted { $0.rawValue < $1.rawValue },
                    ifbs: directions.map(\.ifb),
                    removesClsact: madeClsact && !hasForeign && inventory.hooked.contains(index)))
        }
        return plans
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
