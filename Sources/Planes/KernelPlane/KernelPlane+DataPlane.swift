public import DataPlane
import LinkModel
public import Netlink
import TrafficControl

extension KernelPlane {
    /// What the kernel lacks, or does less exactly than the packet engine.
    public func lack(for demand: PlaneDemand, _ state: HostState?) -> PlaneLack? {
        lack(for: demand) { KernelFeatureCache(try? state?.directory).missing(Set($0)) }
    }

    /// The same, tested in the calling thread's namespace, which nobody else may use.
    ///
    /// - Parameter isRefused: whether applying has failed. Before that only netem is tested, which
    ///   kernels most often lack: testing everything takes longer than applying.
    public func lack(forUnused demand: PlaneDemand, isRefused: Bool = false) -> PlaneLack? {
        lack(for: demand) { needed in
            FeatureProbe.firstMissing(of: isRefused ? needed : needed.filter { $0 == .netem })
                .map { [$0] } ?? []
        }
    }

    private func lack(
        for demand: PlaneDemand, _ missing: ([KernelFeature]) -> [KernelFeature]
    ) -> PlaneLack? {
        if demand.recordsPackets {
            return PlaneLack("the kernel does not tell what it does to which packet")
        }
        if demand.conditions.contains(where: { $0.up.trace != nil || $0.down.trace != nil }) {
            return PlaneLack("the kernel plays no delivery traces")
        }
        if demand.conditions.contains(where: { $0.middle != nil }) {
            return PlaneLack("nothing can stand in the middle of the kernel's link")
        }
        if demand.links.contains(where: \.isLoopback) {
            return PlaneLack("the kernel cannot tell on a loopback who asks and who answers")
        }
        if demand.measuresLateness {
            return PlaneLack("the kernel does not tell how late packets are")
        }
        if demand.choosesOwners {
            return PlaneLack("filters of tc cannot tell whose packets they are")
        }
        if demand.followsNames {
            return PlaneLack("nobody would follow the addresses that a name gets later")
        }
        if demand.hasSeed { return PlaneLack("the kernel does not take a seed") }
        var needed: [KernelFeature] = []
        for conditions in demand.conditions {
            do {
                let plan = try ApplyRequest(conditions: conditions, profile: "", now: 0)
                    .examplePlan(interface: "eth0")
                needed.append(contentsOf: plan.allOperations.compactMap(\.feature))
            } catch {
                return PlaneLack(error.description)
            }
        }
        if let first = missing(needed).first {
            return PlaneLack(KernelPlaneError.missingFeatures([first]).description)
        }
        let ways = demand.conditions.flatMap { [$0.down, $0.up] }
        return ways.lazy.compactMap(\.inexactness).first.map { PlaneLack($0, isMinor: true) }
    }

    /// Those of `links` with anything of ours, even if only filters whose ifb somebody has deleted.
    public func conditioned(_ links: [Link]) throws -> Set<Int32> {
        let marked = Set(try Inventory.ifbs(session).map(\.mark.target))
        let hooks = try session.get(links.map { Qdisc.get(at: .clsact, on: $0.index) })
        return Set(
            try zip(links, hooks).filter { link, hook in
                try marked.contains(link.index)
                    || hook.flatMap(QdiscState.init)?.kind == .classifierActions
                        && !HookFilters(session, interface: link.index).groups.isEmpty
            }.map(\.0.index))
    }

    /// The commands of the plans.
    public func script(_ request: ApplyRequest, on links: [Link]) throws -> String {
        try plan(request, on: links).map(\.script).joined(separator: "\n")
    }

    /// Conditions all of `links`, or none.
    public func apply(
        _ request: ApplyRequest, on links: [Link], _ state: HostState
    ) throws -> ApplyReport {
        let applied = try carryOut(request, on: links, state)
        let datagrams = applied.sentDatagrams
        return ApplyReport(
            interfaces: applied.plans.map(\.interface.name),
            precedents: Dictionary(
                applied.plans.map { ($0.interface.name, $0.precedents) }
            ) { $0 + $1 },
            formerWatchers: applied.plans.reduce(into: []) { $0.formUnion($1.formerWatchers) },
            details: [
                "\(applied.messageCount) netlink messages in \(datagrams) system call"
                    + (datagrams == 1 ? "" : "s")
            ])
    }

    /// Needs nothing: the kernel works without any linkcond process.
    public func yield(_ links: [Link]) {}

    /// The conditions with a watcher, from the marks.
    public func watched() throws -> Set<WatchedConditions> {
        Set(
            try Inventory.ifbs(session).compactMap { _, mark in
                WatchedConditions(index: mark.target, name: mark.name, limit: mark.limit)
            })
    }
}
