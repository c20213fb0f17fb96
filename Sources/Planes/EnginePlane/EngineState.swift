import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import PacketLoop
import SystemPackage
import TrafficControl

/// All interfaces of a network namespace that the engine conditions. Used by one thread.
struct EngineState: ~Copyable {
    /// Two threads for each: beyond this, scheduling them would keep the machine busy.
    static let mostInterfaces = 128

    private var emulations: [InterfaceEmulation.ID: InterfaceEmulation] = [:]
    /// Redirect the packets of the interfaces.
    let hooks: any Hooks
    /// Until when they do.
    let lease = RedirectLease()
    private let names = NameWatch()
    private let session: NetlinkSession
    private let maker: RedirectMaker

    private init(_ session: NetlinkSession, _ hooks: any Hooks) {
        self.session = session
        self.hooks = hooks
        maker = RedirectMaker(session: session, lease: lease)
    }

    /// Works in the network namespace of the calling thread.
    static func open() throws -> EngineState {
        EngineState(try NetlinkSession(), try HookKind.open())
    }

    var isEmpty: Bool { emulations.isEmpty }

    /// The conditions by interface, in their order of precedence.
    var status: [ConditionedInterface] {
        emulations.values.sorted {
            ($0.target.name, $0.request.selector.isSelective ? 0 : 1, $0.slot)
                < ($1.target.name, $1.request.selector.isSelective ? 0 : 1, $1.slot)
        }.map {
            $0.status(
                missing: names.missing, isUnhooked: hooks.isBroken(at: $0.target.index))
        }
    }

    /// Checks that every loop responds; does not return while one holds its lock.
    func lookAfterLoops() {
        for way in emulations.values.flatMap(\.ways.values) { _ = way.loop.statistics }
    }

    func tick() {
        for emulation in emulations.values { emulation.tick() }
        let named = emulations.values.flatMap(\.request.selector.included.toNames)
        names.watch(Set(named))
        // A service that starts again has a new control group of the same name.
        let choosing = emulations.values.filter {
            !$0.request.selector.included.groups.isEmpty || $0.request.selector.hasNames
        }
        if !choosing.isEmpty { reinstall(Set(choosing.map(\.target.index))) }
        hooks.findOpenSockets()
    }

    // MARK: Applying

    /// The planned change of one interface.
    private struct PlannedChange {
        var link: Link
        var former: InterfaceEmulation?
        var seed: UInt64
        var slot: Int
        /// The redirects of all directions of the request.
        var redirects: [Redirect]
        var added: [InterfaceEmulation.Way] = []
    }

    /// Conditions all interfaces of the request, or none.
    mutating func apply(_ asked: EngineRequest, _ traces: LinkTraces) throws(EngineError) {
        try asked.check()
        let request = asked.apply
        names.learn(request.selector.addresses)
        var changes: [PlannedChange] = []
        for index in asked.interfaces { changes.append(try prepare(index, request)) }
        let new = changes.count { $0.former == nil }
        guard emulations.count + new <= Self.mostInterfaces else {
            throw EngineError(
                "the packet engine conditions \(Self.mostInterfaces) interfaces at most, with two "
                    + "threads for each; the kernel's data plane conditions any number (see "
                    + "linkcond doctor)", fault: .unavailable)
        }
        try EngineDescriptors.check(forNew: new)
        do {
            for number in changes.indices {
                try makeWays(of: &changes[number], request, traces)
            }
            // One change for all interfaces, so that either all are conditioned or none.
            var tables: [Int32: HookTable?] = [:]
            for change in changes {
                tables[change.link.index] = table(after: change, request)
            }
            try hooks.change(to: tables, isForced: request.isForced)
        } catch {
            for change in changes { dismantle(change.added) }
            throw error
        }
        for change in changes { conclude(change, request, traces) }
    }

    private func prepare(
        _ index: Int32, _ request: ApplyRequest
    ) throws(EngineError) -> PlannedChange {
        let link = try Self.check(link(index), index)
        let former = emulations[InterfaceEmulation.ID(target: index, name: request.name)]
        if let former, !request.replaces {
            throw .alreadyConditioned(
                link.name, name: request.name, profile: former.request.profile)
        }
        if let former, let seed = request.seed, seed != former.seed {
            throw EngineError(
                "\(link.name): the random numbers of a conditioned interface go on from --seed "
                    + "\(former.seed); leave out --seed, or linkcond clear -i \(ShellWord(link.name)) first",
                fault: .usage)
        }
        let taken = emulations.values.filter { $0.target.index == index }.map(\.slot)
        let slot = try request.slot(on: link.name, former: former?.slot, beside: Set(taken))
        return PlannedChange(
            link: link, former: former,
            seed: former?.seed ?? request.seed ?? UInt64(UInt32.random(in: .min ... .max)),
            slot: slot, redirects: Redirect.all(of: request, on: link, slot: slot))
    }

    private func link(_ index: Int32) throws(EngineError) -> Link? {
        do {
            return try session.get([Link.get(index: index)])[0].flatMap(Link.init)
        } catch {
            throw EngineError("\(error)")
        }
    }

    /// Checks whether an engine can condition an interface.
    static func check(_ link: Link?, _ index: Int32) throws(EngineError) -> Link {
        guard let link else { throw .vanished("index \(index)") }
        let reason: String? =
            if link.isOwn {
                "belongs to linkcond itself; name the interface that it conditions"
            } else if !link.isUp {
                "the interface is down; bring it up with: ip link set \(ShellWord(link.name)) up"
            } else {
                lack(link)
            }
        guard let reason else { return link }
        throw EngineError("\(link.name): \(reason)", fault: .unavailable)
    }

    /// Why the engine cannot serve an interface, and what to do; nil if it can.
    static func lack(_ link: Link) -> String? {
        if !link.hasEthernetHeader, !link.isBare {
            "the packet engine conditions Ethernet interfaces and tunnels with two ends only, "
                + "and this is neither; name the one that its packets leave by, or use a kernel with "
                + "netem (see linkcond doctor)"
        } else if !HookTable.canName(link.name) {
            "nftables does not accept a name with such characters; rename the interface"
        } else {
            nil
        }
    }

    private func makeWays(
        of change: inout PlannedChange, _ request: ApplyRequest, _ traces: LinkTraces
    ) throws(EngineError) {
        for redirect in change.redirects
        where change.former?.ways[redirect.direction] == nil {
            change.added.append(
                try maker.make(redirect, request, traces, seed: change.seed))
        }
    }

    /// The table of an interface after a change.
    private func table(after change: PlannedChange, _ request: ApplyRequest) -> HookTable {
        let link = change.link
        let others = emulations.values.filter {
            $0.target.index == link.index && $0.request.name != request.name
        }
        let ways = change.redirects.compactMap {
            HookTable.Way.present($0, request.selector, names.addresses)
        }
        return HookTable(
            target: Interface(index: link.index, name: link.name),
            ways: others.flatMap { $0.hooks(names.addresses) } + ways)
    }

    private mutating func conclude(
        _ change: PlannedChange, _ request: ApplyRequest, _ traces: LinkTraces
    ) {
        guard let former = change.former else {
            let new = InterfaceEmulation(
                change.link, request, seed: change.seed, slot: change.slot,
                ways: change.added)
            emulations[new.id] = new
            return
        }
        let gone = former.change(to: request, traces, adding: change.added)
        dismantle(gone)
        // After the end of this process the alias describes the veth pairs to others.
        _ = try? session.execute(
            former.ways.values.map {
                Link.setAlias(index: $0.ends.near, former.mark.alias)
            })
    }

    /// Stops loops that receive nothing any more, and removes their veth pairs.
    private func dismantle(_ ways: [InterfaceEmulation.Way]) {
        RedirectLoop.close(ways.map(\.loop))
        maker.remove(ways)
    }

    // MARK: Removing

    /// Removes conditions and returns them: those of the interfaces with these indexes (nil: all)
    /// and of this name (nil: any).
    mutating func remove(_ indices: [Int32]?, name: String? = nil) -> [ConditionedInterface] {
        let chosen = emulations.values.filter {
            indices?.contains($0.target.index) ?? true && $0.request.name == name ?? $0.request.name
        }
        // If nft cannot express the interface's name, its remaining conditions cannot be hooked
        // again.
        let removed = emulations.values.filter { emulation in
            chosen.contains { $0 === emulation }
                || !HookTable.canName(emulation.target.name)
                    && chosen.contains { $0.target.index == emulation.target.index }
        }
        let ways = removed.flatMap(\.ways.values)
        // Packets in flight are lost: they must not arrive after later packets that bypass the
        // link.
        for way in ways { way.loop.stop() }
        for emulation in removed { emulations[emulation.id] = nil }
        let status = removed.map { $0.status(missing: names.missing) }
        reinstall(Set(removed.map(\.target.index)))
        dismantle(ways)
        return status
    }

    /// Installs the hooks for the remaining conditions of some interfaces.
    private func reinstall(_ indices: Set<Int32>) {
        var indices = indices
        for _ in 0..<Self.attempts {
            var tables: [Int32: HookTable?] = [:]
            for index in indices {
                let left = emulations.values.filter {
                    $0.target.index == index && !$0.ways.isEmpty
                }
                tables[index] = .some(
                    left.first.map {
                        HookTable(
                            target: $0.target, ways: left.flatMap { $0.hooks(names.addresses) })
                    })
            }
            do {
                return try hooks.change(to: tables, isForced: true)
            } catch {
                // Another veth pair may be gone by now.
                guard let links = try? self.links() else { continue }
                let (broken, concerned) = loseWays(links)
                dismantle(broken)
                indices.formUnion(concerned)
            }
        }
        // Hooks without an engine would take packets for ever. All of them are removed, which the
        // server notices.
        hooks.end()
    }

    /// How often to retry failing hooks: veth pairs may disappear one after the other.
    private static let attempts = 4

    // MARK: Following the interfaces

    /// Checks whether interfaces are gone or have a new name or address, and whether somebody has
    /// removed a veth pair: packets for it are then unconditioned.
    mutating func followInterfaces() {
        guard !emulations.isEmpty, let links = try? self.links() else { return }
        for index in Set(emulations.keys.map(\.target)) {
            if let link = links[index] {
                follow(link)
            } else {
                _ = remove([index])
            }
        }
        let (broken, concerned) = loseWays(links)
        guard !broken.isEmpty else { return }
        reinstall(concerned)
        dismantle(broken)
    }

    private func links() throws(NetlinkError) -> [Int32: Link] {
        Dictionary(try session.links().map { ($0.index, $0) }) { first, _ in first }
    }

    /// Gives up directions without veth pairs; returns them, and the indexes of their interfaces.
    private func loseWays(
        _ links: [Int32: Link]
    ) -> (broken: [InterfaceEmulation.Way], concerned: Set<Int32>) {
        var broken: [InterfaceEmulation.Way] = []
        var concerned: Set<Int32> = []
        for emulation in emulations.values {
            let ways = emulation.loseWays(links)
            if !ways.isEmpty { concerned.insert(emulation.target.index) }
            broken += ways
        }
        return (broken, concerned)
    }

    // MARK: Ending

    /// Leaves everything as a killed engine would, with the reason in the veth pairs' aliases, so
    /// that others know that there were conditions.
    mutating func abandon(_ end: EngineEnd) {
        hooks.end()
        for way in emulations.values.flatMap(\.ways.values) { way.loop.stop() }
        EngineLeftovers.mark(end, session)
        emulations = [:]
    }

    private mutating func follow(_ link: Link) {
        let changed = emulations.values.filter { emulation in
            emulation.target.index == link.index
                && (emulation.target.name != link.name || emulation.address != link.address)
        }
        for emulation in changed {
            if link.address != emulation.address, let down = emulation.ways[.down],
                down.redirect.needsClaim, down.claim == nil
            {
                _ = try? session.execute([Link.setAddress(index: down.ends.near, link.address)])
            }
            emulation.follow(link)
        }
        // Newer kernels unhook an interface that no longer has the name used for the hook.
        if !changed.isEmpty, HookTable.canName(link.name) { reinstall([link.index]) }
    }
}
