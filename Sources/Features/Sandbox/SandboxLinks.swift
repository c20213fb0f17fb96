import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import NetworkPath
import PacketLoop
import Recording
import SystemPackage

/// The interfaces of a sandbox while it runs; for its first process, on its main thread.
///
/// Theory of operation. Nothing that stands is taken down for a change: conditions are changed in
/// place, so that what is on a link stays on it; a carrier goes because the other end of the app's
/// interface is switched off, and then, as NetworkManager would do it, addresses and routes. That
/// takes the kernel less than a millisecond. An interface that vanishes is put aside in the link's
/// namespace, which takes a little longer and happens beside everything else (`InterfaceMove`).
final class SandboxLinks {
    /// An interface as it is now.
    struct Interface: Sendable, Hashable {
        /// Its name.
        let name: String
        /// Its number in the app's network namespace.
        let index: Int32
        /// The app's addresses on it, of IPv4 and IPv6.
        let addresses: [IPAddress]
        /// The conditions of the link behind it.
        var conditions: LinkConditions
        /// The name of these.
        var profile: String
        /// What the app sees of it, an override that was set inside apart.
        var mark: NetworkMark
        /// Whether it is there at all.
        var isPresent: Bool
        /// Whether its carrier is there.
        var hasCarrier = true

        /// Whether packets go out: it is there, with its carrier and its addresses.
        var isUsable: Bool { isPresent && hasCarrier }
    }

    /// The namespaces in which they are.
    let namespaces: SandboxNamespaces
    /// What carries out the conditions.
    let dataPlane: DataPlaneKind
    /// What the user may want to know of that.
    let explanation: String

    /// Is called after each change of which interfaces there are, which of them can be used, what
    /// the app sees of them, and which is preferred.
    var onChange: (SandboxLinks) -> Void = { _ in }
    /// Is called when an interface did not appear or vanish that should have, or when connections
    /// did not end that should have.
    var onFailure: (SandboxError) -> Void = { _ in }

    private struct Part {
        let wire: Wire
        let conditioned: any ConditionedWire
        let firstProfile: String
        let endsConnections: Bool
    }

    private let request: SandboxRequest
    private let parts: [String: Part]
    private let sessions: SandboxNamespaces.Sessions
    private let recorder: PacketRecorder?
    private var states: [String: Interface]
    private var preference: RoutePreference
    /// Whether connections outlived an interface that should not have, which is told once.
    private var hasKeptConnections = false
    /// Interfaces that are about to appear or to vanish.
    private var moves: [String: InterfaceMove] = [:]
    /// The metrics that their routes get when they appear.
    private var moveMetrics: [String: UInt32] = [:]

    /// Makes the namespaces and all that is between them, with that of the calling thread as the
    /// far side; leaves the thread on the link.
    init(_ request: SandboxRequest, _ network: SandboxNetwork) throws {
        self.request = request
        let interfaces = request.interfaces
        let wires = request.wires(of: network)
        preference = RoutePreference(interfaces.map(\.name))
        (namespaces, sessions) = try SandboxNamespaces.make(network, wires, interfaces, preference)
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
                name: interface.name, index: wire.app.index, addresses: wire.families.map(\.app),
                conditions: interface.conditions, profile: interface.profile,
                mark: interface.mark, isPresent: interface.isPresent)
            if !interface.isPresent { conditioned.setConnected(false) }
        }
        (self.parts, self.states) = (parts, states)
    }

    /// All interfaces, the most preferred first.
    var interfaces: [Interface] { preference.order.compactMap { states[$0] } }

    // MARK: Changes

    /// Changes the conditions of an interface; packets on the link stay on it. Delivery traces that
    /// they name have to be known from `SandboxRequest.laterConditions`.
    func change(
        _ interface: String, to conditions: LinkConditions, profile: String
    ) throws(SandboxError) {
        // The link does not mind where its ends are.
        let (part, _) = try known(interface)
        do {
            try part.conditioned.change(
                to: conditions, profile: profile, traces: request.traces[conditions])
        } catch {
            throw SandboxError("\(interface): its conditions cannot be changed: \(error)")
        }
        states[interface]?.conditions = conditions
        states[interface]?.profile = profile
    }

    /// Takes the carrier away from an interface, and with it addresses and routes; or gives all of
    /// it back.
    func setCarrier(_ interface: String, isUp: Bool) throws(SandboxError) {
        let (part, state) = try find(interface)
        guard state.hasCarrier != isUp else { return }
        let end = part.wire.appEnd.index
        if isUp {
            try send([Link.bringUp(index: end)], sessions.link, interface)
            part.conditioned.setConnected(state.isPresent)
            if state.isPresent { try addAddresses(part.wire) }
        } else {
            part.conditioned.setConnected(false)
            if state.isPresent { try removeAddresses(part.wire) }
            try send([Link.takeDown(index: end)], sessions.link, interface)
            endConnections(part)
        }
        states[interface]?.hasCarrier = isUp
        onChange(self)
    }

    /// Makes an interface appear or vanish.
    ///
    /// It is so when `turn`, or another change of it, has found that the kernel is done.
    func setPresence(_ interface: String, isPresent: Bool) throws(SandboxError) {
        let (part, state) = try find(interface)
        guard state.isPresent != isPresent else { return }
        let wire = part.wire
        let steps: [InterfaceMove.Step]
        if isPresent {
            let move = Link.move(
                index: wire.away.index, to: namespaces.app.rawValue, name: wire.app.name)
            let metric = preference.metric(of: interface)
            steps = [
                .init(namespace: namespaces.link, messages: [move]),
                .init(
                    namespace: namespaces.app,
                    messages: wire.bringUpMessages
                        + (state.hasCarrier ? wire.addressMessages(metric: metric) : [])),
            ]
        } else {
            part.conditioned.setConnected(false)
            if state.hasCarrier { try removeAddresses(wire) }
            endConnections(part)
            let move = Link.move(
                index: wire.app.index, to: namespaces.link.rawValue, name: wire.away.name)
            steps = [.init(namespace: namespaces.app, messages: [move])]
        }
        moves[interface] = try InterfaceMove(interface, steps)
        moveMetrics[interface] = preference.metric(of: interface)
        states[interface]?.isPresent = isPresent
        if !isPresent { onChange(self) }
    }

    /// Looks whether interfaces have appeared or vanished, and says in how long to look again; nil:
    /// none is about to.
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

    /// Waits until all interfaces that are about to appear or vanish have done so.
    func settle() throws(SandboxError) {
        for (interface, move) in moves { try finish(move, of: interface) }
    }

    private func finish(_ move: InterfaceMove, of interface: String) throws(SandboxError) {
        moves[interface] = nil
        let metric = moveMetrics.removeValue(forKey: interface)
        try move.finish()
        guard let part = parts[interface], let state = states[interface], state.isPresent else {
            return
        }
        // It may have been preferred on its way.
        let wanted = preference.metric(of: interface)
        if let metric, metric != wanted, state.hasCarrier {
            let change = RoutePreference.Change(interface: interface, old: metric, new: wanted)
            try carryOut([(change, part.wire)], interface)
        }
        part.conditioned.setConnected(state.hasCarrier)
        onChange(self)
    }

    /// Changes what the app sees of an interface. An override that was set inside stays on top.
    func setMark(_ interface: String, _ mark: NetworkMark) throws(SandboxError) {
        let (part, state) = try find(interface)
        let index = part.wire.app.index
        let session = state.isPresent ? sessions.app : sessions.link
        do throws(NetlinkError) {
            let link = try session.get([Link.get(index: index)])[0].flatMap(Link.init)
            let override = NetworkMark(alias: link?.aliasBytes ?? []) ?? NetworkMark()
            // Without room for both, what the sandbox says goes before what was said inside.
            let alias = override.written(into: mark.sandboxAlias) ?? mark.sandboxAlias
            try session.execute(
                Link.setAlias(index: index, bytes: alias), attempt: "mark the interface")
        } catch {
            throw SandboxError("\(interface): \(error)")
        }
        states[interface]?.mark = mark
        onChange(self)
    }

    /// Makes an interface the first in the order of preference: new connections take it.
    func prefer(_ interface: String) throws(SandboxError) {
        _ = try known(interface)
        // One that is about to appear gets its routes by another hand, and their order when it is
        // there. That hand is to meet with no route of the same metric.
        if moveMetrics.contains(where: { preference.metric(of: $0.key) != $0.value }) {
            try settle()
        }
        let changes = preference.prefer(interface)
        try carryOut(
            changes.compactMap { change in
                guard states[change.interface]?.isUsable == true, moves[change.interface] == nil
                else { return nil }
                return parts[change.interface].map { (change, $0.wire) }
            }, interface)
        onChange(self)
    }

    /// Gives routes their new metrics: the new ones first, so that there is always one.
    private func carryOut(
        _ changes: [(RoutePreference.Change, Wire)], _ interface: String
    ) throws(SandboxError) {
        try send(
            changes.flatMap { $1.routeMessages(metric: $0.new) }, sessions.app, interface,
            unless: .fileExists)
        try remove(changes.flatMap { $1.routeRemovalMessages(metric: $0.old) })
    }

    private func addAddresses(_ wire: Wire) throws(SandboxError) {
        let metric = preference.metric(of: wire.app.name)
        try send(
            wire.addressMessages(metric: metric), sessions.app, wire.app.name, unless: .fileExists)
    }

    private func removeAddresses(_ wire: Wire) throws(SandboxError) {
        try remove(wire.removalMessages(metric: preference.metric(of: wire.app.name)))
    }

    /// Ends the app's connections over an interface that is gone, as phones do.
    private func endConnections(_ part: Part) {
        guard part.endsConnections else { return }
        do {
            _ = try NetworkNamespace.visit(namespaces.app) { () throws(KernelError) in
                Result { () throws(NetlinkError) in
                    try NetlinkSession(.sockets).endConnections(
                        from: part.wire.families.map(\.app), interface: part.wire.app.index)
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

    /// An interface that stands where it is to be.
    private func find(_ interface: String) throws(SandboxError) -> (Part, Interface) {
        let found = try known(interface)
        if let move = moves[interface] { try finish(move, of: interface) }
        return found
    }

    /// An interface, which may be on its way.
    private func known(_ interface: String) throws(SandboxError) -> (Part, Interface) {
        guard let part = parts[interface], let state = states[interface] else {
            throw SandboxError(
                "\(interface): no such interface (have: "
                    + "\(preference.order.joined(separator: ", ")))")
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

    /// Takes away what may be gone already, with something else or by the command's hand.
    private func remove(_ messages: [NetlinkMessage]) throws(SandboxError) {
        do {
            _ = try sessions.app.execute(messages)
        } catch {
            throw SandboxError("the interfaces cannot be changed: \(error)")
        }
    }

    // MARK: What has passed

    /// What has passed over the link of an interface until now; nil if nobody knows.
    func counters(of interface: String) -> LinkCounters? {
        try? parts[interface]?.conditioned.counters
    }

    /// How often the app has opened a connection, sent data or asked for an echo over an interface;
    /// nil if nobody counts.
    func requests(over interface: String) -> UInt64? {
        parts[interface]?.conditioned.loop?.up.requests
    }

    /// How many packets toward the network are on the links.
    var packetsUnderWay: UInt64 { parts.values.reduce(0) { $0 + $1.conditioned.packetsUnderWay } }

    /// The far side as the app's host knows it: nobody if nothing was ever sent there.
    var neighbours: [KnownNeighbour] {
        get throws(NetlinkError) { try sessions.app.neighbours() }
    }

    /// The numbers of the app's interfaces that are switched on.
    var switchedOn: Set<Int32> {
        get throws(NetlinkError) { Set(try sessions.app.links().filter(\.isUp).map(\.index)) }
    }

    /// Counts what has passed, and ends what is written down.
    ///
    /// - Parameters:
    ///   - duration: how long the command ran.
    ///   - whole: how long the links carried packets.
    ///   - samples: the links over time, by the names of the interfaces.
    func finish(
        after duration: Duration, carrying whole: Duration, samples: [String: [LinkSample]]
    ) throws -> SandboxReport {
        let all = request.interfaces.compactMap { parts[$0.name] }
        if recorder != nil {
            // What is counted then is what the files hold.
            for part in all { part.conditioned.stop() }
        }
        var report = SandboxReport(loops: all.compactMap(\.conditioned.loop))
        let recording = recorder?.finish() ?? RecordingReport()
        report.fileNotes = recording.notes
        report.fileFailures = recording.failures
        guard request.recording.wantsStatistics else { return report }
        let interfaces = try all.map { part in
            let name = part.wire.app.name
            var statistics = InterfaceStatistics(
                name: name, profile: part.firstProfile,
                counters: try part.conditioned.counters.averaged(over: whole))
            statistics.samples = samples[name] ?? []
            return statistics
        }
        let isEmulated = dataPlane == .engine
        report.statistics = LinkStatistics(
            backend: dataPlane, seed: isEmulated ? request.usedSeed : nil,
            duration: duration, interfaces: interfaces, loops: report.loops, recording: recording)
        return report
    }
}
