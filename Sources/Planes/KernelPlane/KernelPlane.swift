public import DataPlane
public import LinkModel
import LinuxKernel
public import Netlink
import SystemPackage
import TrafficControl

/// Conditions interfaces of the calling thread's network namespace on the kernel data plane.
///
/// Theory of operation. `clsact` on the interface redirects each direction's IP packets, or those
/// that a selector chooses, through an ifb of ours, where a tree of qdiscs delays, limits and drops
/// them; then they continue on their original path. An interface can have several such conditions,
/// each with a name. The interface's own qdiscs are never changed. A request becomes plans, which
/// are values (`InterfacePlan`); `PlanExecutor` sends all of them with one system call and undoes
/// everything if the kernel refuses any part. Marks in the kernel (`Ownership`, `Inventory`) let
/// any later process find, show and clear the conditions.
public struct KernelPlane: DataPlane {
    /// The kernel data plane.
    public let kind = DataPlaneKind.kernel

    let session: NetlinkSession
    let environment: [String: String]

    /// Opens a netlink session in the calling thread's network namespace.
    ///
    /// `environment` gives the directory for state files (`XDG_RUNTIME_DIR`).
    public init(environment: [String: String]) throws(KernelPlaneError) {
        self.environment = environment
        session = try Self.mapping { () throws(NetlinkError) in try NetlinkSession() }
    }

    /// Uses `session`, for example one that fails on purpose.
    init(session: NetlinkSession, environment: [String: String]) {
        self.session = session
        self.environment = environment
    }

    /// What `apply` would do. Requires no privilege and changes nothing.
    public func plan(
        _ request: ApplyRequest, on links: [Link]
    ) throws(KernelPlaneError) -> [InterfacePlan] {
        try plan(request, on: links) { true }
    }

    /// - Parameter hasPrograms: whether the kernel has filters that are programs.
    private func plan(
        _ request: ApplyRequest, on links: [Link], hasPrograms: () -> Bool
    ) throws(KernelPlaneError) -> [InterfacePlan] {
        for link in links { try check(link) }
        let marks = try Self.mapping { () throws(NetlinkError) in
            Dictionary(
                grouping: try Inventory.ifbs(session).map(\.mark), by: \.target)
        }
        var observed: [(link: Link, slot: Int)] = []
        for link in links {
            observed.append((link, try slot(for: request.name, link, marks[link.index] ?? [])))
        }
        let observations = try Self.mapping { () throws(NetlinkError) in
            try Observation.observe(observed, session)
        }
        let conditioned = Set(links.map(\.index)).intersection(marks.keys)
        let inventory = try Self.mapping { () throws(NetlinkError) in
            conditioned.isEmpty ? nil : try Inventory(session, of: conditioned)
        }
        let standing = observations.map { observation in
            completed(inventory?.directions(of: observation.link.index) ?? [])
        }
        let selectors = [request.selector] + standing.joined().compactMap(\.mark.selector)
        let usesPrograms = selectors.contains(where: \.prefersPrograms) && hasPrograms()
        // Once for all interfaces: asking takes a socket and a dump.
        let chains = request.isForced || !request.directions.contains(.up) ? [] : DeviceChain.all()
        var plans: [InterfacePlan] = []
        for (observation, found) in zip(observations, standing) {
            let form =
                usesPrograms ? FilterForm(of: observation.link) : .words
            plans.append(try plan(request, observation, found, form, chains))
        }
        return plans
    }

    /// The slot of the conditions called `name`; a new one after all others if there are none.
    private func slot(
        for name: String, _ link: Link, _ marks: [OwnershipMark]
    ) throws(KernelPlaneError) -> Int {
        if let mark = marks.first(where: { $0.name == name }) { return mark.slot }
        guard let free = Slot.next(beside: Set(marks.map(\.slot))) else {
            throw .tooManyConditions(link.name)
        }
        return free
    }

    /// Conditions all of `links`, or none if one of them cannot be conditioned.
    ///
    /// Requires `CAP_NET_ADMIN`. Returns what was done.
    @discardableResult
    func carryOut(
        _ request: ApplyRequest, on links: [Link], _ state: HostState
    ) throws(KernelPlaneError) -> AppliedPlans {
        guard Privilege.mayChangeNetwork else {
            throw .missingPrivilege("conditioning an interface")
        }
        let directory = try Self.mapping { () throws(KernelError) in try state.directory }
        Self.removeLeftovers(in: directory)
        let cache = KernelFeatureCache(directory)
        let plans = try plan(request, on: links) { cache.missing([.programs]).isEmpty }
        try check(plans, cache)

        let journal = try Self.mapping { () throws(KernelError) in try Journal(directory) }
        let known = Set(journal.entries().map(\.index))
        var recorded: [Int32] = []
        let datagramsBefore = session.sentDatagrams
        do {
            for plan in plans {
                try Self.mapping { () throws(KernelError) in try journal.record(plan) }
                recorded.append(plan.interface.index)
            }
            try PlanExecutor(session: session).run(plans)
        } catch {
            for index in recorded where !known.contains(index) { journal.erase(index) }
            throw error
        }
        return AppliedPlans(
            plans: plans, sentDatagrams: session.sentDatagrams - datagramsBefore)
    }

    /// Throws if the kernel lacks a feature for one of `plans`, before anything is tried.
    private func check(
        _ plans: [InterfacePlan], _ cache: KernelFeatureCache
    ) throws(KernelPlaneError) {
        let missing = cache.missing(Set(plans.flatMap(\.operations).compactMap(\.feature)))
        guard missing.isEmpty else { throw .missingFeatures(missing) }
    }

    /// Removes the leftovers of killed processes.
    static func removeLeftovers(in directory: StateDirectory) {
        WatcherFile.removeAbandoned(in: directory)
        directory.removePartialFiles(in: "")
        for namespace in directory.names(in: Journal.directoryName) {
            directory.removePartialFiles(in: "\(Journal.directoryName)/\(namespace)")
        }
        SharedParameters.restoreAbandoned(in: directory)
    }

    /// The plan for one interface with the conditions `standing`, of any name.
    private func plan(
        _ request: ApplyRequest, _ observation: Observation, _ standing: [FoundDirection],
        _ form: FilterForm, _ chains: [DeviceChain]
    ) throws(KernelPlaneError) -> InterfacePlan {
        let interface = observation.interface
        guard !observation.hasIngress else { throw .ingressQdisc(interface.name) }
        let found = standing.filter { $0.mark.name == request.name }
        if let old = found.first {
            guard request.replaces else {
                throw .alreadyConditioned(
                    interface.name, name: request.name, profile: old.mark.profile)
            }
            guard old.mark.selector != nil else {
                throw .unreadableSelector(interface.name, name: request.name)
            }
        }
        let link = ConditionedLink(observation.link)
        let added = request.directions.filter { way in
            !found.contains { $0.mark.direction == way }
        }
        try checkIndexes(observation, added)
        if observation.hasClsact, !added.isEmpty {
            try checkFilters(of: observation, added, isForced: request.isForced)
        }
        if !request.isForced, added.contains(.up) { try checkChains(chains, at: interface) }
        // Another program may have taken away the one that was there.
        let madeClsact =
            !observation.hasClsact || standing.contains(where: \.mark.madeClsact)
        let hooks = try hookFilters(observation, isNeeded: !standing.isEmpty)
        var plan: InterfacePlan
        do {
            let directions = try request.planned(
                target: interface.index, link: link, madeClsact: madeClsact,
                slot: observation.slot, form: form, replacing: found)
            plan =
                found.isEmpty
                ? .create(interface, directions, hasClsact: observation.hasClsact)
                : .change(
                    interface, from: found, to: directions,
                    hook: FoundHook(
                        exists: observation.hasClsact, groups: hooks?.groups ?? [:]))
        } catch {
            throw .unsupported(error)
        }
        let beside = standing.filter { $0.mark.name != request.name }
        if !beside.isEmpty {
            var selectors = beside.selectors
            for way in request.directions { selectors[way, default: []].append(request.selector) }
            plan.replaceGuards(
                hooks?.guards ?? [:], for: selectors, FilterForm(of: observation.link))
        }
        plan.isFirst = standing.isEmpty
        plan.formerWatchers = Set(found.compactMap(\.mark.limit?.watcher))
        let others = Dictionary(grouping: standing, by: \.mark.slot).values.compactMap { found in
            found.first?.mark.precedence(Set(found.map(\.mark.direction)))
        }
        plan.precedents = Precedence(request, slot: observation.slot).precedents(among: others)
        return plan
    }

    /// The filters at the hook, if it is there.
    private func hookFilters(
        _ observation: Observation, isNeeded: Bool
    ) throws(KernelPlaneError) -> HookFilters<FilterPlace>? {
        guard isNeeded, observation.hasClsact else { return nil }
        return try Self.mapping { () throws(NetlinkError) in
            try HookFilters(session, interface: observation.link.index)
        }
    }

    private func checkFilters(
        of observation: Observation, _ directions: [Direction], isForced: Bool
    ) throws(KernelPlaneError) {
        let interface = observation.interface
        let filters = try Self.mapping { () throws(NetlinkError) in
            try HookFilters(session, interface: interface.index)
        }
        for direction in directions {
            let isStranded = filters.ours.keys.contains {
                $0.direction == direction && $0.slot == observation.slot
            }
            if isStranded {
                // They would go on dropping the packets that they can no longer redirect.
                throw .refused(
                    interface: interface.name,
                    NetlinkError(
                        attempt: "condition the way \(direction.rawValue)", errno: .fileExists,
                        kernelText: "filters of linkcond stand there whose ifb is gone; "
                            + "run linkcond clear -i \(ShellWord(interface.name)) first"),
                    isUndone: true)
            }
            if !isForced, let kinds = filters.foreign[direction] {
                throw .foreignFilters(interface.name, direction, kinds: kinds)
            }
        }
    }

    /// Outgoing packets pass nftables chains before tc filters; incoming packets pass them after.
    private func checkChains(
        _ chains: [DeviceChain], at interface: Interface
    ) throws(KernelPlaneError) {
        let kinds = chains.filter { $0.hook == .egress && $0.sees(interface.name) }
            .map(\.description)
        guard kinds.isEmpty else { throw .foreignFilters(interface.name, .up, kinds: kinds) }
    }

    /// Later messages of a batch refer to our ifbs by index, even if another interface has it.
    private func checkIndexes(
        _ observation: Observation, _ directions: [Direction]
    ) throws(KernelPlaneError) {
        for direction in directions {
            guard let other = observation.ifbs[direction] else { continue }
            let ifb = Ownership.ifb(
                of: observation.link.index, direction, slot: observation.slot)
            throw .refused(
                interface: observation.link.name,
                NetlinkError(
                    attempt: "make the ifb \(ifb) with index \(ifb.index)", errno: .fileExists,
                    kernelText: UnmarkedIFB(other) == nil
                        ? "\(other.name) has that index"
                        : "it is there, but another program changed its alias; "
                            + "run linkcond clear -i \(ShellWord(observation.link.name)) first"),
                isUndone: true)
        }
    }

    private func check(_ link: Link) throws(KernelPlaneError) {
        guard !link.isOwn else { throw .ownInterface(link.name) }
        guard link.isUp else { throw .interfaceDown(link.name) }
        guard link.index <= Ownership.lastConditionable else { throw .indexTooLarge(link.name) }
    }

    static func mapping<Value>(
        _ body: () throws(NetlinkError) -> Value
    ) throws(KernelPlaneError) -> Value {
        do { return try body() } catch { throw .netlink(error) }
    }

    static func mapping<Value: ~Copyable>(
        _ body: () throws(KernelError) -> Value
    ) throws(KernelPlaneError) -> Value {
        do { return try body() } catch { throw .kernel(error) }
    }
}

extension FilterForm {
    /// Programs on links of which it is known where packets' IP headers are.
    init(of link: Link) {
        self =
            if link.hasEthernetHeader {
                .programs(headerLength: Link.ethernetHeaderLength)
            } else if link.isBare {
                .programs(headerLength: 0)
            } else {
                .words
            }
    }
}

extension OwnershipMark {
    /// Decides which packets they apply to.
    fileprivate func precedence(_ directions: Set<Direction>) -> Precedence {
        Precedence(
            name: name, slot: slot, selector: selector, isSelective: place.isSelective,
            directions: directions)
    }
}

extension Journal {
    /// Records what a plan is about to do.
    fileprivate func record(_ plan: InterfacePlan) throws(KernelError) {
        let madeClsact = plan.operations.contains(.addQdisc(.clsact(on: plan.interface)))
        // An entry older than the conditions belongs to another interface.
        let former = plan.isFirst ? nil : entry(plan.interface.index)
        var entry = Entry(
            interface: plan.interface.name, index: plan.interface.index,
            madeClsact: madeClsact || former?.madeClsact ?? false)
        entry.conditions = former?.conditions
        if let mark = plan.mark {
            entry.conditions = entry.conditions ?? [:]
            entry.conditions?[mark.name] = .init(slot: mark.slot, selection: mark.selection)
        }
        try record(entry)
    }
}
