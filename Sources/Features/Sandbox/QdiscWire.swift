import DataPlane
import KernelPlane
import LinkModel
import Netlink
import PacketLoop

/// A wire conditioned by the kernel: a bridge joins its ends, and qdiscs on the far end condition
/// both directions.
struct QdiscWire: ConditionedWire {
    private let kernel: KernelPlane
    private let end: Link

    /// Conditions wires in the calling thread's network namespace, all or none.
    static func condition(
        _ wires: [Wire], _ interfaces: [SandboxInterface], by kernel: KernelPlane
    ) throws -> [QdiscWire] {
        let session = try NetlinkSession()
        try session.executeAll(wires.flatMap(SandboxNetwork.bridgeMessages))
        do {
            let ends = try HostLinks(session).links(named: wires.map(\.farEnd.name))
            try kernel.applyTransiently(
                zip(ends, interfaces).map { end, interface in
                    (request(interface.conditions, interface.profile), end)
                })
            return ends.map { QdiscWire(kernel: kernel, end: $0) }
        } catch {
            // The packet engine, if tried next, needs the ends for itself.
            try session.executeAll(wires.map { Link.delete(index: $0.bridge.index) })
            throw error
        }
    }

    private static func request(_ conditions: LinkConditions, _ profile: String) -> ApplyRequest {
        ApplyRequest(conditions: conditions, profile: profile, now: 0)
    }

    func change(to conditions: LinkConditions, profile: String, traces: LinkTraces) throws {
        var request = Self.request(conditions, profile)
        request.replaces = true
        try kernel.applyTransiently([(request, end)])
    }

    /// The kernel knows this itself.
    func setConnected(_ isConnected: Bool) {}

    var counters: LinkCounters {
        get throws {
            let status = try kernel.status().first { $0.index == end.index }
            return LinkCounters(
                up: status?.directions[.up]?.counters ?? DirectionCounters(),
                down: status?.directions[.down]?.counters ?? DirectionCounters())
        }
    }

    var loop: LoopStatistics? { nil }

    var packetsUnderWay: UInt64 { (try? counters.up.heldPackets) ?? 0 }

    func stop() {}
}
