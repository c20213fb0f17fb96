import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import PacketLoop
import SystemPackage
import TrafficControl

/// All interfaces of a network namespace that the engine conditions. Used by one thread.
struct EngineRoom: ~Copyable {
    /// Two threads for each: beyond this the machine would be busy with choosing among them.
    static let mostInterfaces = 128

    private var appliances: [Appliance.ID: Appliance] = [:]
    /// What takes the packets of the interfaces.
    let hooks: any Hooks
    private let session: NetlinkSession
    private let maker: DetourMaker

    private init(_ session: NetlinkSession, _ hooks: any Hooks) {
        self.session = session
        self.hooks = hooks
        maker = DetourMaker(session: session)
    }

    /// Works in the network namespace of the calling thread.
    static func open() throws -> EngineRoom {
        EngineRoom(try NetlinkSession(), try HookKind.open())
    }

    var isEmpty: Bool { appliances.isEmpty }

    /// By interface, and in the order in which they choose their packets.
    var status: [ConditionedInterface] {
        appliances.values.sorted {
            ($0.target.name, $0.request.selector.isSelective ? 0 : 1, $0.slot)
                < ($1.target.name, $1.request.selector.isSelective ? 0 : 1, $1.slot)
        }.map(\.status)
    }

    /// Asks every loop for a sign of life; does not return as long as one holds its lock.
    func lookAfterLoops() {
        for way in appliances.values.flatMap(\.ways.values) { _ = way.loop.statistics }
    }

    func tick() {
        for appliance in appliances.values { appliance.tick() }
    }

    // MARK: Applying

    /// What is to become of one interface.
    private struct Undertaking {
        var link: Link
        var former: Appliance?
        var seed: UInt64
        var slot: Int
        /// In all directions of the request.
        var detours: [Detour]
        var added: [Appliance.Way] = []
    }

    /// Conditions all interfaces of the request, or none.
    mutating func apply(_ asked: EngineRequest, _ traces: LinkTraces) throws(EngineError) {
        try asked.check()
        let request = asked.apply
        var undertakings: [Undertaking] = []
        for index in asked.interfaces { undertakings.append(try prepare(index, request)) }
        let new = undertakings.count { $0.former == nil }
        guard appliances.count + new <= Self.mostInterfaces else {
            throw EngineError(
                "the packet engine conditions \(Self.mostInterfaces) interfaces at most, with two "
                    + "threads for each; the kernel's data plane conditions any number (see "
                    + "linkcond doctor)", fault: .unavailable)
        }
        do {
            for number in undertakings.indices {
                try makeWays(of: &undertakings[number], request, traces)
            }
            // For all interfaces at once, so that either all are conditioned or none.
            var tables: [Int32: HookTable?] = [:]
            for undertaking in undertakings {
                tables[undertaking.link.index] = table(after: undertaking, request)
            }
            try hooks.change(to: tables, isForced: request.isForced)
        } catch {
            for undertaking in undertakings { dismantle(undertaking.added) }
            throw error
        }
        for undertaking in undertakings { conclude(undertaking, request, traces) }
    }

    private func prepare(
        _ index: Int32, _ request: ApplyRequest
    ) throws(EngineError) -> Undertaking {
        let link = try Self.check(link(index), index)
        let former = appliances[Appliance.ID(target: index, name: request.name)]
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
        let slot = try slot(of: former, on: link)
        let target = Interface(index: index, name: link.name)
        return Undertaking(
            link: link, former: former,
            seed: former?.seed ?? request.seed ?? UInt64(UInt32.random(in: .min ... .max)),
            slot: slot,
            detours: Direction.allCases.filter(request.directions.contains).map { direction in
                Detour(target: target, address: link.address, direction: direction, slot: slot)
            })
    }

    private func slot(of former: Appliance?, on link: Link) throws(EngineError) -> Int {
        if let former { return former.slot }
        let taken = appliances.values.filter { $0.target.index == link.index }.map(\.slot)
        guard let free = Slot.next(beside: Set(taken)) else { throw .tooManyConditions(link.name) }
        return free
    }

    private func link(_ index: Int32) throws(EngineError) -> Link? {
        do {
            return try session.get([Link.get(index: index)])[0].flatMap(Link.init)
        } catch {
            throw EngineError("\(error)")
        }
    }

    /// Whether an interface can be conditioned by an engine.
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

    /// What an engine lacks for an interface, with the way out; nil if nothing.
    static func lack(_ link: Link) -> String? {
        if !link.hasEthernetHeader, !link.isBare {
            "the packet engine conditions Ethernet interfaces and tunnels only, and this is "
                + "neither; name the one that its packets leave by, or use a kernel with "
                + "netem (see linkcond doctor)"
        } else if !HookTable.canName(link.name) {
            "nftables cannot be told a name with such letters; rename the interface"
        } else {
            nil
        }
    }

    private func makeWays(
        of undertaking: inout Undertaking, _ request: ApplyRequest, _ traces: LinkTraces
    ) throws(EngineError) {
        for detour in undertaking.detours
        where undertaking.former?.ways[detour.direction] == nil {
            undertaking.added.append(
                try maker.make(detour, request, traces, seed: undertaking.seed))
        }
    }

    /// The table of an interface when an undertaking is done.
    private func table(after undertaking: Undertaking, _ request: ApplyRequest) -> HookTable {
        let link = undertaking.link
        let others = appliances.values.filter {
            $0.target.index == link.index && $0.request.name != request.name
        }
        let ways = undertaking.detours.map { HookTable.Way(detour: $0, selector: request.selector) }
        return HookTable(
            target: Interface(index: link.index, name: link.name),
            ways: others.flatMap(\.hooks) + ways)
    }

    private mutating func conclude(
        _ undertaking: Undertaking, _ request: ApplyRequest, _ traces: LinkTraces
    ) {
        guard let former = undertaking.former else {
            let new = Appliance(
                undertaking.link, request, seed: undertaking.seed, slot: undertaking.slot,
                ways: undertaking.added)
            appliances[new.id] = new
            return
        }
        let gone = former.change(to: request, traces, adding: undertaking.added)
        dismantle(gone)
        // The alias tells those who find the wires when this process is gone.
        _ = try? session.execute(
            former.ways.values.map {
                Link.setAlias(index: $0.ends.near, former.mark.alias)
            })
    }

    /// Ends loops to which nothing comes any more, and takes their wires away.
    private func dismantle(_ ways: [Appliance.Way]) {
        for way in ways { way.loop.stop() }
        maker.remove(ways.map(\.detour))
    }

    // MARK: Removing

    /// Takes conditions away and tells which: those of the interfaces with these indexes or of
    /// all, and under this name or any.
    mutating func remove(_ indices: [Int32]?, name: String? = nil) -> [ConditionedInterface] {
        let chosen = appliances.values.filter {
            indices?.contains($0.target.index) ?? true && $0.request.name == name ?? $0.request.name
        }
        // What is left of an interface could not be hooked under a name that nft cannot be told.
        let removed = appliances.values.filter { appliance in
            chosen.contains { $0 === appliance }
                || !HookTable.canName(appliance.target.name)
                    && chosen.contains { $0.target.index == appliance.target.index }
        }
        let ways = removed.flatMap(\.ways.values)
        // What is under way is lost: it must not arrive behind what overtakes it from now on.
        for way in ways { way.loop.stop() }
        for appliance in removed { appliances[appliance.id] = nil }
        reinstall(Set(removed.map(\.target.index)))
        dismantle(ways)
        return removed.map(\.status)
    }

    /// Has the kernel take the packets of those conditions of some interfaces that are left.
    private func reinstall(_ indices: Set<Int32>) {
        var indices = indices
        for _ in 0..<Self.attempts {
            var tables: [Int32: HookTable?] = [:]
            for index in indices {
                let left = appliances.values.filter {
                    $0.target.index == index && !$0.ways.isEmpty
                }
                tables[index] = .some(
                    left.first.map { HookTable(target: $0.target, ways: left.flatMap(\.hooks)) })
            }
            do {
                return try hooks.change(to: tables, isForced: true)
            } catch {
                // Another wire may be gone by now.
                guard let links = try? self.links() else { continue }
                let (broken, concerned) = loseWays(links)
                dismantle(broken)
                indices.formUnion(concerned)
            }
        }
        // Hooks that nobody serves would take packets for ever. All of them go, which the
        // server notices.
        hooks.end()
    }

    /// How often hooks are tried that do not stand: wires may go one after the other.
    private static let attempts = 4

    // MARK: Following the interfaces

    /// Looks whether interfaces are gone, have another name or another address, and whether somebody
    /// has taken a wire away: what would go there goes its ordinary way then.
    mutating func followInterfaces() {
        guard !appliances.isEmpty, let links = try? self.links() else { return }
        for index in Set(appliances.keys.map(\.target)) {
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

    /// Gives up ways without wires; returns them, and the indexes of their interfaces.
    private func loseWays(
        _ links: [Int32: Link]
    ) -> (broken: [Appliance.Way], concerned: Set<Int32>) {
        var broken: [Appliance.Way] = []
        var concerned: Set<Int32> = []
        for appliance in appliances.values {
            let ways = appliance.loseWays(links)
            if !ways.isEmpty { concerned.insert(appliance.target.index) }
            broken += ways
        }
        return (broken, concerned)
    }

    // MARK: Ending

    /// Leaves everything as an engine does that was killed, with the reason at the wires: so it is
    /// known that conditions stood here.
    mutating func abandon(_ end: EngineEnd) {
        hooks.end()
        for way in appliances.values.flatMap(\.ways.values) { way.loop.stop() }
        EngineLeftovers.mark(end, session)
        appliances = [:]
    }

    private mutating func follow(_ link: Link) {
        let changed = appliances.values.filter { appliance in
            appliance.target.index == link.index
                && (appliance.target.name != link.name || appliance.address != link.address)
        }
        for appliance in changed {
            if link.address != appliance.address, let down = appliance.ways[.down] {
                _ = try? session.execute([Link.setAddress(index: down.ends.near, link.address)])
            }
            appliance.follow(link)
        }
        // Newer kernels let go of an interface that has lost the name by which it was hooked.
        if !changed.isEmpty, HookTable.canName(link.name) { reinstall([link.index]) }
    }
}
