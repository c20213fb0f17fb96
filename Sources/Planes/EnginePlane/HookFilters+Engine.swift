import DataPlane
import Netlink
import TrafficControl

extension HookFilters<HookPlace> {
    private static var gateName: String { "linkcond" }
    private static var makerName: String { "linkcond, made clsact" }

    /// The name of a gate, which tells later processes who created the hooks.
    static func gateName(madeHooks: Bool) -> String { madeHooks ? makerName : gateName }

    /// Reads both hooks of an interface that has them.
    init(_ session: NetlinkSession, interface: Int32) throws(NetlinkError) {
        try self.init(session, interface: interface) { HookPlace(preference: $0) }
    }

    /// Whether an engine created the hooks.
    var madeHooks: Bool {
        ours.values.contains { $0.contains { $0.programName == Self.makerName } }
    }

    /// The interfaces that have hooks, by index.
    static func hooked(_ session: NetlinkSession) throws(NetlinkError) -> Set<Int32> {
        let qdiscs = try session.dump(Qdisc.list(), attempt: "list the qdiscs")
        return Set(
            qdiscs.compactMap(QdiscState.init).filter { $0.kind == .classifierActions }
                .map(\.interfaceIndex))
    }

    /// Messages that delete all of the engine's filters, and the hooks if it created them and
    /// nobody uses them.
    func removal(from interface: Interface) -> [NetlinkMessage] {
        guard !ours.isEmpty else { return [] }
        if madeHooks, foreign.isEmpty { return [Qdisc.clsact(on: interface).delete()] }
        return HookPlace.deletions(ours.keys, from: interface)
    }

    /// Deletes the filters of a killed engine from the interfaces with these indexes (nil: all),
    /// except those in `live`.
    static func removeLeftovers(
        _ session: NetlinkSession, from indices: Set<Int32>? = nil, besides live: Set<Int32> = []
    ) throws(NetlinkError) -> Set<Int32> {
        var found: Set<Int32> = []
        var messages: [NetlinkMessage] = []
        for index in try hooked(session)
        where indices?.contains(index) ?? true && !live.contains(index) {
            let filters = try HookFilters(session, interface: index)
            guard !filters.ours.isEmpty else { continue }
            found.insert(index)
            messages += filters.removal(from: Interface(index: index, name: "index \(index)"))
        }
        // Objects that are gone meanwhile need no deletion.
        if !messages.isEmpty { _ = try session.execute(messages) }
        return found
    }
}
