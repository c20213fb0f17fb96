import LinkModel
import LinkUnits
import Netlink
import PacketLoop
import Recording
import Scenarios

/// A wire without conditions: the command's interface and the far side's are the two ends of one
/// veth pair, so that the kernel passes packets on without the packet engine.
///
/// Super-packets cross it whole, as they do the engine, and count as one.
struct DirectWire: ConditionedWire {
    private let session: NetlinkSession

    /// Counts what crosses the far side's interface, which is in the calling thread's network
    /// namespace: the command cannot change that one.
    init() throws(NetlinkError) {
        session = try NetlinkSession()
    }

    /// Only wires that keep their conditions are direct.
    func change(to conditions: LinkConditions, profile: String, traces: LinkTraces) throws {
        throw SandboxError("a direct wire takes no conditions")
    }

    /// The kernel knows this itself.
    func setConnected(_ isConnected: Bool) {}

    var counters: LinkCounters {
        get throws {
            let answer = try session.get([Link.get(index: SandboxNetwork.far.index)])[0]
            guard let traffic = answer.flatMap(LinkTraffic.init) else { return LinkCounters() }
            return LinkCounters(
                up: Self.counters(traffic.receivedPackets, traffic.receivedBytes),
                down: Self.counters(traffic.sentPackets, traffic.sentBytes))
        }
    }

    /// Counts bytes from the IP header on, as all data planes do.
    private static func counters(_ packets: UInt64, _ bytes: UInt64) -> DirectionCounters {
        let headers = packets * UInt64(Link.ethernetHeaderLength)
        return DirectionCounters(
            packets: packets, bytes: ByteCount(bytes: bytes > headers ? bytes - headers : 0))
    }

    var loop: LoopStatistics? { nil }

    var packetsUnderWay: UInt64 { 0 }

    func stop() {}
}

extension SandboxRequest {
    /// Whether nothing has to stand between the command and the far side: there are no conditions
    /// now or later, and nobody asks for what only a data plane can tell.
    var hasDirectWire: Bool {
        backend == .auto && interfaces.count == 1 && interfaces[0].isPresent
            && interfaces[0].conditions == LinkConditions()
            && laterConditions.isEmpty && scenario == nil && !mayChange && !conditionsLoopback
            && devices.isEmpty && multipath == .off && seed == nil && !tolerance.isChosen
            && !recording.isWanted
    }
}
