import LinkModel
import LinuxKernel
public import Netlink
import SystemPackage
import TrafficControl

/// Conditions interfaces of the calling thread's network namespace on the kernel data plane.
///
/// Theory of operation. `clsact` on the interface sends each direction's IP packets, or those that
/// a selector chooses, through an ifb of ours, where a tree of qdiscs delays, limits and loses
/// them; from there they go on as they would have. Several such conditions, each under a name, stand
/// on an interface side by side. The interface's own qdiscs are never touched. A request becomes plans, which
/// are values (`InterfacePlan`); `PlanExecutor` sends all of them with one system call and takes
/// everything back if the kernel refuses any part. What was done is found again from marks in the
/// kernel (`Ownership`, `Inventory`), so that any later process can show and clear it.
public struct Conditioner {
    let session: NetlinkSession
    let environment: [String: String]

    /// Opens a netlink session in the calling thread's network namespace.
    ///
    /// `environment` says where files may be put (`XDG_RUNTIME_DIR`).
    public init(environment: [String: String]) throws(ConditionerError) {
        self.environment = environment
        session = try Self.mapping { () throws(NetlinkError) in try NetlinkSession() }
    }

    /// Works over `session`, such as one that fails on purpose.
    init(session: NetlinkSession, environment: [String: String]) {
        self.session = session
        self.environment = environment
    }

    /// What `apply` would do. Needs no privilege and changes nothing.
    public func plan(_ request: ApplyRequest) throws(ConditionerError) -> [InterfacePlan] {
        let links = try links(of: request)
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
        var plans: [InterfacePlan] = []
        for observation in observations {
            let found = completed(inventory?.directions(of: observation.link.index) ?? [])
            plans.append(try plan(request, observation, found))
        }
        return plans
    }

    /// The slot of the conditions called `name`; for new ones that behind all others.
    private func slot(
        for name: String, _ link: Link, _ marks: [OwnershipMark]
    ) throws(ConditionerError) -> Int {
        if let mark = marks.first(where: { $0.name == name }) { return mark.slot }
        let taken = Set(marks.map(\.slot))
        let next = taken.max().map { $0 + 1 } ?? 0
        if Ownership.slots.contains(next) { return next }
        guard let free = Ownership.slots.last(where: { !taken.contains($0) }) else {
            throw .tooManyConditions(link.name)
        }
        return free
    }

    /// Conditions all interfaces of the request, or none if one of them cannot be.
    ///
    /// Requires `CAP_NET_ADMIN`. Returns what was done.
    @discardableResult
    public func apply(_ request: ApplyRequest) throws(ConditionerError) -> ApplyReport {
        guard Privilege.mayChangeNetwork else {
            throw .missingPrivilege("conditioning an interface")
        }
        let access = try ExclusiveAccess(environment: environment)
        access.removeLeftovers()
        let plans = try plan(request)
        try KernelFeatureCache(access.directory).check(plans)

        let journal = try Self.mapping { () throws(KernelError) in
            try Journal(access.directory)
        }
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
        try dismissWatchers(plans.reduce(into: []) { $0.formUnion($1.formerWatchers) }, access)
        return ApplyReport(
            plans: plans, sentDatagrams: session.sentDatagrams - datagramsBefore)
    }

    /// The plan for one interface on which `standing` stands, under any name.
    private func plan(
        _ request: ApplyRequest, _ observation: Observation, _ standing: [FoundDirection]
    ) throws(ConditionerError) -> InterfacePlan {
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
        if !request.isForced, added.contains(.up) { try checkChains(at: interface) }
        let madeClsact = standing.first?.mark.madeClsact ?? !observation.hasClsact
        var plan: InterfacePlan
        do {
            let directions = try request.planned(
                target: interface.index, link: link, madeClsact: madeClsact,
                slot: observation.slot, replacing: found)
            plan =
                found.isEmpty
                ? .create(interface, directions, hasClsact: observation.hasClsact)
                : .change(interface, from: found, to: directions)
        } catch {
            throw .unsupported(error)
        }
        plan.isFirst = standing.isEmpty
        plan.formerWatchers = Set(found.compactMap(\.mark.limit?.watcher))
        plan.precedents = request.precedents(in: observation.slot, among: standing)
        return plan
    }

    private func checkFilters(
        of observation: Observation, _ directions: [Direction], isForced: Bool
    ) throws(ConditionerError) {
        let interface = observation.interface
        let filters = try Self.mapping { () throws(NetlinkError) in
            try HookFilters(session, interface: interface.index)
        }
        for direction in directions {
            let isStranded = filters.ours.keys.contains {
                $0.direction == direction && $0.slot == observation.slot
            }
            if isStranded {
                // They would go on losing the packets that they cannot redirect any more.
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

    /// What leaves passes chains of nftables before filters of tc; what comes does so behind them.
    private func checkChains(at interface: Interface) throws(ConditionerError) {
        let kinds = DeviceChain.atDevice(interface.name).filter { $0.hook == .egress }
            .map(\.description)
        guard kinds.isEmpty else { throw .foreignFilters(interface.name, .up, kinds: kinds) }
    }

    /// Later messages of a batch name our ifbs by index, whoever has it.
    private func checkIndexes(
        _ observation: Observation, _ directions: [Direction]
    ) throws(ConditionerError) {
        for direction in directions {
            guard let other = observation.ifbs[direction] else { continue }
            let ifb = Ownership.ifb(
                of: observation.link.index, direction, slot: observation.slot)
            throw .refused(
                interface: observation.link.name,
                NetlinkError(
                    attempt: "make the ifb \(ifb) with index \(ifb.index)", errno: .fileExists,
                    kernelText: "\(other.name) has that index"), isUndone: true)
        }
    }

    private func check(_ link: Link) throws(ConditionerError) {
        guard link.group != Ownership.group else { throw .ownInterface(link.name) }
        guard link.isUp else { throw .interfaceDown(link.name) }
        guard link.index <= Ownership.lastConditionable else { throw .indexTooLarge(link.name) }
    }

    /// The interfaces of a request, without repetitions.
    public func links(of request: ApplyRequest) throws(ConditionerError) -> [Link] {
        guard request.isForAllInterfaces else { return try links(named: request.interfaces) }
        let all = try Self.mapping { () throws(NetlinkError) in try session.links() }
        let found = all.filter { link in
            link.isUp && !link.isLoopback && link.group != Ownership.group
        }
        let named = request.interfaces.isEmpty ? [] : try links(named: request.interfaces)
        guard !(found + named).isEmpty else { throw .noInterfaces }
        let indexes = Set(found.map(\.index))
        return found + named.filter { !indexes.contains($0.index) }
    }

    /// The interfaces called `names`, without repetitions; for no name those of default routes.
    public func links(named names: [String]) throws(ConditionerError) -> [Link] {
        guard !names.isEmpty else {
            let links = try Self.mapping { () throws(NetlinkError) in
                try session.get(session.defaultRouteInterfaces().map { Link.get(index: $0) })
                    .compactMap { $0.flatMap(Link.init) }
            }
            guard !links.isEmpty else { throw .noDefaultRoute }
            return links
        }
        var links: [Link] = []
        for name in names {
            let link = try Self.mapping { () throws(NetlinkError) in
                try session.link(named: name)
            }
            guard let link else {
                let known = try Self.mapping { () throws(NetlinkError) in try session.links() }
                throw .noSuchInterface(
                    name, known: known.filter { $0.group != Ownership.group }.map(\.name))
            }
            if !links.contains(where: { $0.index == link.index }) { links.append(link) }
        }
        return links
    }

    static func mapping<Value>(
        _ body: () throws(NetlinkError) -> Value
    ) throws(ConditionerError) -> Value {
        do { return try body() } catch { throw .netlink(error) }
    }

    static func mapping<Value: ~Copyable>(
        _ body: () throws(KernelError) -> Value
    ) throws(ConditionerError) -> Value {
        do { return try body() } catch { throw .kernel(error) }
    }
}

extension ApplyRequest {
    /// The names of conditions that may choose the same packets and come first.
    fileprivate func precedents(in slot: Int, among standing: [FoundDirection]) -> [String] {
        var names: [String] = []
        for found in standing
        where found.mark.name != name && directions.contains(found.mark.direction) {
            let place = FilterPlace(
                direction: found.mark.direction, slot: slot, isSelective: selector.isSelective)
            if found.mark.place.precedes(place), found.mark.selector?.overlaps(selector) ?? true,
                !names.contains(found.mark.name)
            {
                names.append(found.mark.name)
            }
        }
        return names
    }
}

extension Journal {
    /// Writes down what a plan is about to do.
    fileprivate func record(_ plan: InterfacePlan) throws(KernelError) {
        let madeClsact = plan.operations.contains(.addQdisc(.clsact(on: plan.interface)))
        // An entry from before the interface was conditioned is one of another interface.
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
