import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import NetworkPath
import PacketLoop
import Recording
import SystemPackage

/// The interfaces of a sandbox while it runs; for the main thread of its first process.
///
/// Theory of operation. A change never takes anything down that stays: conditions change in place,
/// so that packets on a link stay there. To remove a carrier, the other end of the app's interface
/// is brought down, and then addresses and routes are removed, as NetworkManager would do. This
/// takes the kernel less than a millisecond. A vanishing interface is moved to the link's
/// namespace, which takes longer and happens in the background (`InterfaceMove`). In a network of one
/// family (`NetworkFamily`) the app has addresses and routes of that family alone.
final class SandboxLinks {
    /// The current state of an interface.
    struct Interface: Sendable, Hashable {
        /// Its name.
        let name: String
        /// Its index in the app's network namespace.
        let index: Int32
        /// The index of the device that has it.
        let device: Int
        /// The app's IPv4 and IPv6 addresses on it, as far as the network has both.
        fileprivate(set) var addresses: [IPAddress]
        /// The conditions of its link.
        var conditions: LinkConditions
        /// The display name of the conditions.
        var profile: String
        /// What the app sees of it, without overrides set inside.
        var mark: NetworkMark
        /// Whether it exists.
        var isPresent: Bool
        /// Whether it has a carrier.
        var hasCarrier = true

        /// Whether it can send: it exists and has a carrier and addresses.
        var isUsable: Bool { isPresent && hasCarrier }
    }

    /// The namespaces of the links.
    let namespaces: SandboxNamespaces
    /// The data plane.
    let dataPlane: DataPlaneKind
    /// Why this data plane, for interested users.
    let explanation: String

    /// Called after each change of the existing interfaces, of their usability, of what the app
    /// sees of them, and of their order.
    var onChange: (SandboxLinks) -> Void = { _ in }
    /// Called when an interface failed to appear or vanish, or connections could not be ended.
    var onFailure: (SandboxError) -> Void = { _ in }

    /// An interface's wire and link.
    struct Part {
        let wire: Wire
        let conditioned: any ConditionedWire
        let firstProfile: String
        let endsConnections: Bool
    }

    let request: SandboxRequest
    let parts: [String: Part]
    let sessions: SandboxNamespaces.Sessions
    let recorder: PacketRecorder?
    private var states: [String: Interface]
    /// The order of preference on each device.
    private var preferences: [RoutePreference]
    /// Whether connections could not be ended, which is reported once.
    private var hasKeptConnections = false
    /// Interfaces that are appearing or vanishing.
    private var moves: [String: InterfaceMove] = [:]
    /// The metrics of their routes when they appear.
    private var moveMetrics: [String: UInt32] = [:]

    /// Makes the namespaces and everything between them. The calling thread's namespace becomes the
    /// far side; the thread ends up in the link's.
    init(
        _ request: SandboxRequest, _ network: SandboxNetwork, _ supply: NetworkSupply? = nil
    ) throws {
        self.request = request
        let interfaces = request.interfaces
        let wires = request.wires(of: network)
        preferences = request.allDevices.map { RoutePreference($0.interfaces) }
        (namespaces, sessions) = try SandboxNamespaces.make(
            network, wires, request, preferences, supply)
        let conditioned = try ConditionedWires.start(request, wires)
        dataPlane = conditioned.choice.kind
        explanation = request.explanation(of: conditioned.choice)
        recorder = conditioned.recorder
        var parts: [String: Part] = [:]
        var states: [String: Interface] = [:]
        for ((wire, conditioned), interface) in zip(zip(wires, conditioned.wires), interfaces) {
            parts[interface.name] = Part(
                wire: wire, conditioned: conditioned, firstProfile: interface.profile,
                endsConnections: interface.endsConnections)
            states[interface.name] = Interface(
                name: interface.name, index: wire.app.index, device: wire.device,
                addresses: wire.limited(to: interface.conditions.middle?.family).families
                    .map(\.app), conditions: interface.conditions,
                profile: interface.profile,
                mark: interface.mark, isPresent: interface.isPresent)
            if !interface.isPresent { conditioned.setConnected(false) }
        }
        (self.parts, self.states) = (parts, states)
    }

    /// All interfaces by device, the most preferred of each first.
    var interfaces: [Interface] { preferences.flatMap(\.order).compactMap { states[$0] } }

    /// The interfaces of a device, most preferred first.
    func interfaces(of device: Int) -> [Interface] {
        preferences[device].order.compactMap { states[$0] }
    }

    // MARK: Changes

    /// Changes the conditions of an interface; packets on the link stay there.
    ///
    /// - Parameter traces: Their delivery traces; nil: among those of
    ///   `SandboxRequest.laterConditions`.
    func change(
        _ interface: String, to conditions: LinkConditions, profile: String,
        traces: LoadedTraces? = nil
    ) throws(SandboxError) {
        // The link works wherever its ends are; not so the addresses.
        let family = conditions.middle?.family
        var (part, state) = try known(interface)
        let hasOtherFamily = state.conditions.middle?.family != family
        if hasOtherFamily { (part, state) = try find(interface) }
        do {
            try part.conditioned.change(
                to: conditions, profile: profile, traces: (traces ?? request.traces)[conditions])
        } catch {
            throw SandboxError("\(interface): its conditions cannot be changed: \(error)")
        }
        states[interface]?.conditions = conditions
        states[interface]?.profile = profile
        if hasOtherFamily { try changeAddresses(part, state, to: family) }
    }

    /// Gives the app the addresses and routes that a network of another family has, and takes the others.
    private func changeAddresses(
        _ part: Part, _ state: Interface, to family: NetworkFamily?
    ) throws(SandboxError) {
        let new = part.wire.limited(to: family)
        let former = part.wire.limited(to: state.conditions.middle?.family)
        states[state.name]?.addresses = new.families.map(\.app)
        guard state.isUsable else { return }
        let added = new.without(former)
        let removed = former.without(new)
        if !added.families.isEmpty { try addAddresses(added) }
        if !removed.families.isEmpty {
            try removeAddresses(removed)
            endConnections(part, from: removed)
        }
        onChange(self)
    }

    /// Removes an interface's carrier, addresses and routes, or restores them.
    func setCarrier(_ interface: String, isUp: Bool) throws(SandboxError) {
        let (part, state) = try find(interface)
        guard state.hasCarrier != isUp else { return }
        let end = part.wire.appEnd.index
        if isUp {
            try send([Link.bringUp(index: end)], sessions.link, interface)
            part.conditioned.setConnected(state.isPresent)
            if state.isPresent { try addAddresses(wire(of: state)) }
        } else {
            part.conditioned.setConnected(false)
            if state.isPresent { try removeAddresses(part.wire) }
            try send([Link.takeDown(index: end)], sessions.link, interface)
            endConnections(part, from: part.wire)
        }
        states[interface]?.hasCarrier = isUp
        onChange(self)
    }

    /// Makes an interface appear or vanish.
    ///
    /// The change is complete when `turn`, or another change of the interface, finds that the
    /// kernel has finished.
    func setPresence(_ interface: String, isPresent: Bool) throws(SandboxError) {
        let (part, state) = try find(interface)
        guard state.isPresent != isPresent else { return }
        let wire = part.wire
        let app = namespaces.apps[wire.device]
        let steps: [InterfaceMove.Step]
        if isPresent {
            let move = Link.move(
                index: wire.away.index, to: app.rawValue, name: wire.app.name)
            let metric = metric(of: interface)
            steps = [
                .init(namespace: namespaces.link, messages: [move]),
                .init(
                    namespace: app,
                    messages: wire.bringUpMessages
                        + (state.hasCarrier
                            ? self.wire(of: state).addressMessages(metric: metric) : [])),
            ]
        } else {
            part.conditioned.setConnected(false)
            if state.hasCarrier { try removeAddresses(wire) }
            endConnections(part, from: wire)
            let move = Link.move(
                index: wire.app.index, to: namespaces.link.rawValue, name: wire.away.name)
            steps = [.init(namespace: app, messages: [move])]
        }
        moves[interface] = try InterfaceMove(interface, steps)
        moveMetrics[interface] = metric(of: interface)
        states[interface]?.isPresent = isPresent
        if !isPresent { onChange(self) }
    }

    /// Checks whether interfaces have appeared or vanished, and returns when to check again; nil:
    /// no moves are pending.
    func turn() -> Duration? {
        for (interface, move) in moves where move.isOver {
            do throws(SandboxError) {
                try finish(move, of: interface)
            } catch {
                onFailure(error)
            }
        }
        return moves.isEmpty ? nil : .milliseconds(2)
    }

    /// Waits until all pending moves are complete.
    func settle() throws(SandboxError) {
        for (interface, move) in moves { try finish(move, of: interface) }
    }

    private func finish(_ move: InterfaceMove, of interface: String) throws(SandboxError) {
        moves[interface] = nil
        let former = moveMetrics.removeValue(forKey: interface)
        try move.finish()
        guard let part = parts[interface], let state = states[interface], state.isPresent else {
            return
        }
        // Its preference may have changed during the move.
        let wanted = metric(of: interface)
        if let former, former != wanted, state.hasCarrier {
            let change = RoutePreference.Change(interface: interface, old: former, new: wanted)
            try carryOut([(change, wire(of: state))], interface)
        }
        part.conditioned.setConnected(state.hasCarrier)
        onChange(self)
    }

    /// Changes what the app sees of an interface. Overrides set inside stay on top.
    ///
    /// - Parameter isCaptive: whether a captive portal holds the app back; nil: as before.
    func setMark(
        _ interface: String, _ mark: NetworkMark, isCaptive: Bool? = nil
    ) throws(SandboxError) {
        let (part, state) = try find(interface)
        var mark = mark
        mark.isCaptive = isCaptive ?? state.mark.isCaptive
        let index = part.wire.app.index
        let session = state.isPresent ? sessions.apps[part.wire.device] : sessions.link
        do throws(NetlinkError) {
            let link = try session.get([Link.get(index: index)])[0].flatMap(Link.init)
            let override = NetworkMark(alias: link?.aliasBytes ?? []) ?? NetworkMark()
            // If both do not fit, the sandbox's mark takes precedence over the one set inside.
            let alias = override.written(into: mark.sandboxAlias) ?? mark.sandboxAlias
            try session.execute(
                Link.setAlias(index: index, bytes: alias), attempt: "mark the interface")
        } catch {
            throw SandboxError("\(interface): \(error)")
        }
        states[interface]?.mark = mark
        onChange(self)
    }

    /// Makes an interface the most preferred: new connections use it.
    func prefer(_ interface: String) throws(SandboxError) {
        let device = try known(interface).0.wire.device
        // Another thread adds the routes of an appearing interface, and corrects their metrics
        // afterwards. It must not collide with a route of the same metric.
        if moveMetrics.contains(where: { metric(of: $0.key) != $0.value }) {
            try settle()
        }
        let changes = preferences[device].prefer(interface)
        try carryOut(
            changes.compactMap { change in
                guard let state = states[change.interface], state.isUsable,
                    moves[change.interface] == nil
                else { return nil }
                return (change, wire(of: state))
            }, interface)
        onChange(self)
    }

    /// The wire of an interface with the addresses that the app has there.
    private func wire(of state: Interface) -> Wire {
        // Each interface has a part.
        let wire = parts[state.name]?.wire ?? Wire(state.name, number: 0, families: [])
        return wire.limited(to: state.conditions.middle?.family)
    }

    private func metric(of interface: String) -> UInt32 {
        parts[interface].map { preferences[$0.wire.device].metric(of: interface) } ?? 0
    }

    /// Changes the metrics of routes: adds the new routes first, so that there is always one.
    private func carryOut(
        _ changes: [(RoutePreference.Change, Wire)], _ interface: String
    ) throws(SandboxError) {
        // They are all of one device.
        guard let device = changes.first?.1.device else { return }
        try send(
            changes.flatMap { $1.routeMessages(metric: $0.new) }, sessions.apps[device], interface,
            unless: .fileExists)
        try remove(changes.flatMap { $1.routeRemovalMessages(metric: $0.old) }, from: device)
    }

    private func addAddresses(_ wire: Wire) throws(SandboxError) {
        let name = wire.app.name
        try send(
            wire.addressMessages(metric: metric(of: name)), sessions.apps[wire.device], name,
            unless: .fileExists)
    }

    private func removeAddresses(_ wire: Wire) throws(SandboxError) {
        try remove(wire.removalMessages(metric: metric(of: wire.app.name)), from: wire.device)
    }

    /// Ends the app's connections from vanished addresses, as phones do.
    private func endConnections(_ part: Part, from wire: Wire) {
        guard part.endsConnections else { return }
        do {
            _ = try NetworkNamespace.visit(namespaces.apps[part.wire.device]) {
                () throws(KernelError) in
                Result { () throws(NetlinkError) in
                    try NetlinkSession(.sockets).endConnections(
                        from: wire.families.map(\.app), interface: wire.app.index)
                }
            }.get()
        } catch {
            guard !hasKeptConnections else { return }
            hasKeptConnections = true
            onFailure(
                SandboxError(
                    "\(part.wire.app.name): its TCP connections wait instead of ending, since this "
                        + "kernel cannot end them (CONFIG_INET_DIAG_DESTROY, module tcp_diag): "
                        + "\(error)"))
        }
    }

    /// An interface that is not moving.
    private func find(_ interface: String) throws(SandboxError) -> (Part, Interface) {
        let found = try known(interface)
        if let move = moves[interface] { try finish(move, of: interface) }
        return found
    }

    /// An interface, which may be moving.
    private func known(_ interface: String) throws(SandboxError) -> (Part, Interface) {
        guard let part = parts[interface], let state = states[interface] else {
            throw SandboxError(
                "\(interface): no such interface (have: "
                    + "\(interfaces.map(\.name).joined(separator: ", ")))")
        }
        return (part, state)
    }

    private func send(
        _ messages: [NetlinkMessage], _ session: NetlinkSession, _ interface: String,
        unless harmless: Errno? = nil
    ) throws(SandboxError) {
        let failures: [BatchFailure]
        do {
            failures = try session.execute(messages)
        } catch {
            throw SandboxError("\(interface): cannot be changed: \(error)")
        }
        guard let failure = failures.first(where: { $0.errno != harmless }) else { return }
        throw SandboxError(
            "\(interface): cannot be changed (step \(failure.index + 1)): "
                + (failure.kernelText ?? "\(failure.errno)"))
    }

    /// Removes things that may be gone already, together with others or by the command's action.
    private func remove(
        _ messages: [NetlinkMessage], from device: Int
    ) throws(SandboxError) {
        do {
            _ = try sessions.apps[device].execute(messages)
        } catch {
            throw SandboxError("the interfaces cannot be changed: \(error)")
        }
    }
}
