import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import SystemPackage
import TrafficControl

/// Hooks made of tc filters at the `clsact` of each interface.
///
/// Filters outlive their process. So each hook begins with a gate (`PacketGate`), which passes
/// packets on to the redirecting filters only while the engine runs, and accepts packets that the
/// engine has already handled. At the far ends of the veth pairs another program drops packets
/// after the engine got them, so that the host does not process them as well.
final class ClassifierHooks: Hooks {
    /// The content of a place.
    private enum Content: Hashable {
        case gate
        /// Packets to redirect to the interfaces with the indexes `entrances`.
        case rules(HookTable.FilterRules, entrances: [Int32])
    }

    /// What is installed at the hooks of an interface.
    private struct Standing {
        var contents: [HookPlace: Content] = [:]
        /// The far ends whose packets are dropped.
        var drained: Set<Int32> = []
        var madeHooks: Bool
    }

    private let session: NetlinkSession
    private let drain: PacketDrain
    private let heldGate: PacketGate
    private var installed: [Int32: Standing] = [:]

    var gate: any Gate { heldGate }
    let descriptor: FileDescriptor? = nil
    private(set) var hasEnded = false
    let process: Int32? = nil

    /// Works in the calling thread's network namespace.
    init() throws(EngineError) {
        do {
            session = try NetlinkSession()
            heldGate = try PacketGate(mark: Redirect.mark)
            drain = try PacketDrain()
        } catch {
            throw .noFilters("\(error)")
        }
    }

    /// There are none: filters cannot tell whose packets they are.
    func findOpenSockets() {}

    func isBroken(at index: Int32) -> Bool {
        guard let standing = installed[index],
            let found = try? HookFilters(session, interface: index)
        else { return false }
        return !standing.contents.keys.allSatisfy { found.ours[$0] != nil }
    }

    func end() {
        for index in installed.keys {
            guard let changes = try? removals(from: index) else { continue }
            try? ClassifierChange.carryOut(changes, session)
        }
        installed = [:]
        hasEnded = true
    }

    func change(to tables: [Int32: HookTable?], isForced: Bool) throws(EngineError) {
        var changes: [ClassifierChange] = []
        var standings: [Int32: Standing?] = [:]
        do {
            for (index, table) in tables {
                guard let table else {
                    changes += try removals(from: index)
                    standings[index] = .some(nil)
                    continue
                }
                standings[index] = try plan(table, isForced: isForced, &changes)
            }
        } catch {
            throw error as? EngineError ?? EngineError("\(error); nothing was changed")
        }
        // Until the next heartbeat, packets must not pass unconditioned.
        heldGate.hold(for: Heartbeat.limit)
        try ClassifierChange.carryOut(changes, session)
        for (index, standing) in standings { installed[index] = standing }
    }

    // MARK: Planning

    /// The changes that bring an interface to the state of a table, and that state.
    private func plan(
        _ table: HookTable, isForced: Bool, _ changes: inout [ClassifierChange]
    ) throws -> Standing {
        let interface = table.target
        guard !table.choosesOwners else { throw EngineError.noOwners }
        let former = installed[interface.index]
        var standing: Standing
        if let former, !isBroken(at: interface.index) {
            standing = former
        } else {
            // Leftovers of a killed engine, or of somebody who has removed others.
            _ = try HookFilters.removeLeftovers(session, from: [interface.index])
            standing = Standing(
                drained: former?.drained ?? [], madeHooks: try !hasHooks(interface))
            if standing.madeHooks { changes.append(.makeHooks(interface)) }
        }
        try check(table, beside: standing, isForced: isForced)
        if !isForced { try checkChains(table, beside: standing) }
        let entrances = try openWires(of: table, &standing, &changes)
        guard let takings = table.takings else { throw EngineError.tooManyFilters(interface.name) }
        var wanted: [HookPlace: Content] = [:]
        for taking in takings {
            wanted[.gate(taking.place.direction)] = .gate
            wanted[taking.place] = .rules(
                taking.part, entrances: taking.entrances.compactMap { entrances[$0] })
        }
        let places = Set(wanted.keys).union(standing.contents.keys)
            .filter { wanted[$0] != standing.contents[$0] }
            .sorted { $0.preference < $1.preference }
        // Gates are installed first and removed last.
        let kept = places.filter { wanted[$0] != nil }
        for place in kept + places.reversed().filter({ wanted[$0] == nil }) {
            let messages = [standing.contents, wanted].map { contents in
                contents[place].map { additions(of: $0, at: place, on: interface, standing) } ?? []
            }
            changes.append(.replace(interface, place, messages[0], by: messages[1]))
        }
        standing.contents = wanted
        return standing
    }

    /// Drops the far ends' packets after the engine got them, and returns the indexes of the near
    /// ends by name.
    private func openWires(
        of table: HookTable, _ standing: inout Standing, _ changes: inout [ClassifierChange]
    ) throws -> [String: Int32] {
        var drained: Set<Int32> = []
        var entrances: [String: Int32] = [:]
        for way in table.ways {
            let ends = try ends(of: way.redirect)
            entrances[way.redirect.near] = ends.near
            drained.insert(ends.far)
            if !standing.drained.contains(ends.far) {
                changes.append(.drain(Interface(index: ends.far, name: way.redirect.far), drain))
            }
        }
        standing.drained = drained
        return entrances
    }

    /// The messages that create the filters of a place.
    private func additions(
        of content: Content, at place: HookPlace, on interface: Interface, _ standing: Standing
    ) -> [NetlinkMessage] {
        switch content {
        case .gate:
            let gate = ProgramFilter(
                interface: interface, parent: place.hook, preference: place.preference,
                program: heldGate.program,
                name: HookFilters.gateName(madeHooks: standing.madeHooks))
            return [gate.add()]
        case .rules(let part, let entrances):
            return HookTable.Taking(place: place, part: part, entrances: []).filters(
                on: interface, to: entrances.map { Interface(index: $0, name: "") }
            ).map { $0.add() }
        }
    }

    private func ends(of redirect: Redirect) throws -> Redirect.Ends {
        let found = try session.get([Link.get(name: redirect.near), Link.get(name: redirect.far)])
        guard let near = found[0].flatMap(Link.init), let far = found[1].flatMap(Link.init) else {
            throw EngineError.vanished(redirect.near)
        }
        return Redirect.Ends(near: near.index, far: far.index)
    }

    private func hasHooks(_ interface: Interface) throws -> Bool {
        let found = try session.get([Qdisc.get(at: .clsact, on: interface.index)])[0]
        switch found.flatMap(QdiscState.init)?.kind {
        case nil: return false
        case .ingress: throw EngineError.ingressQdisc(interface.name)
        default: return true
        }
    }

    /// Checks whether other programs have filters in directions to condition.
    private func check(_ table: HookTable, beside standing: Standing, isForced: Bool) throws {
        guard !isForced else { return }
        let added = table.hooks.filter {
            standing.contents[.gate($0)] == nil
        }
        guard !added.isEmpty, !(standing.madeHooks && standing.contents.isEmpty) else { return }
        let foreign = try HookFilters(session, interface: table.target.index).foreign
        for direction in added {
            guard let kinds = foreign[direction] else { continue }
            throw EngineError.foreignFilters(table.target.name, direction, kinds: kinds)
        }
    }

    /// Checks whether nftables chains of other programs see outgoing packets before any filter.
    private func checkChains(_ table: HookTable, beside standing: Standing) throws {
        guard table.hooks.contains(.up), standing.contents[.gate(.up)] == nil else { return }
        try ForeignChains.refuse(at: table.target, [.up])
    }

    /// The changes that remove everything at an interface.
    private func removals(from index: Int32) throws -> [ClassifierChange] {
        guard let standing = installed[index] else { return [] }
        let interface = Interface(index: index, name: "index \(index)")
        // Other programs may use the hooks meanwhile.
        if standing.madeHooks, let found = try? HookFilters(session, interface: index),
            found.foreign.isEmpty
        {
            return [.remove([Qdisc.clsact(on: interface).delete()])]
        }
        return [.remove(HookPlace.deletions(standing.contents.keys, from: interface))]
    }
}
