import CNetlink
public import Netlink

/// A qdisc as the kernel reports it, with its counters.
public struct QdiscState: Sendable, Hashable {
    /// The interface's index.
    public let interfaceIndex: Int32
    /// Its number.
    public let handle: QdiscHandle
    /// Where it hangs.
    public let parent: QdiscHandle
    /// What it does.
    public let kind: Qdisc.Kind
    /// What went through it.
    public let statistics: TrafficStatistics

    /// Reads an `RTM_NEWQDISC` message; nil for any other.
    public init?(_ message: NetlinkMessage) {
        guard message.type == UInt16(RTM_NEWQDISC),
            let (fixed, attributes) = message.parse(tcmsg.self),
            let name = attributes.string(Int(TCA_KIND))
        else { return nil }
        interfaceIndex = fixed.tcm_ifindex
        handle = QdiscHandle(rawValue: fixed.tcm_handle)
        parent = QdiscHandle(rawValue: fixed.tcm_parent)
        kind = Qdisc.Kind(name: name, attributes: attributes)
        statistics = TrafficStatistics(attributes)
    }
}

/// Counters of a qdisc since it was made.
public struct TrafficStatistics: Sendable, Hashable {
    /// Packets that left it.
    public var packets: UInt64 = 0
    /// Bytes that left it, headers of the link layer included.
    public var bytes: UInt64 = 0
    /// Packets dropped in it and, as the kernel counts, below it.
    public var drops: UInt32 = 0
    /// Packets that it has marked in place of dropping them (ECN); nil if its kind does not.
    public var marks: UInt32?
    /// Packets in it now.
    public var queuedPackets: UInt32 = 0
    /// Bytes per second now, by the kernel's running estimate; zero if it keeps none.
    public var bytesPerSecond: UInt64 = 0
    /// Packets per second now, likewise.
    public var packetsPerSecond: UInt64 = 0

    /// Nothing yet.
    public init() {}

    init(_ attributes: Attributes) {
        guard let nest = attributes.nested(Int(TCA_STATS2)) else { return }
        marks = ActiveQueue.Algorithm(rawValue: attributes.string(Int(TCA_KIND)) ?? "").flatMap {
            $0.marks(in: nest)
        }
        if let basic = nest.value(Int(TCA_STATS_BASIC), as: GenericBasic.self) {
            bytes = basic.bytes
            packets = UInt64(basic.packets)
        }
        if let wide = nest.value(Int(TCA_STATS_PKT64), as: UInt64.self) { packets = wide }
        if let queue = nest.value(Int(TCA_STATS_QUEUE), as: gnet_stats_queue.self) {
            drops = queue.drops
            queuedPackets = queue.qlen
        }
        if let rate = nest.value(Int(TCA_STATS_RATE_EST), as: gnet_stats_rate_est.self) {
            bytesPerSecond = UInt64(rate.bps)
            packetsPerSecond = UInt64(rate.pps)
        }
        if let rate = nest.value(Int(TCA_STATS_RATE_EST64), as: gnet_stats_rate_est64.self) {
            bytesPerSecond = rate.bps
            packetsPerSecond = rate.pps
        }
    }

    /// `struct gnet_stats_basic` without the padding that Swift counts at its end.
    private struct GenericBasic {
        var bytes: UInt64
        var packets: UInt32
    }
}

extension ActiveQueue.Algorithm {
    /// The marks in its own statistics (`tc_codel_xstats`, `tc_fq_codel_xstats`, `tc_pie_xstats` of
    /// the kernel's pkt_sched.h), which newer kernels make longer at their end.
    fileprivate func marks(in statistics: Attributes) -> UInt32? {
        typealias Two = (UInt32, UInt32)
        let type = Int(TCA_STATS_APP)
        return switch self {
        case .codel: statistics.value(type, as: (Two, Two, Two, UInt32).self)?.3
        case .fqCodel: statistics.value(type, as: (Two, Two).self)?.1.1
        case .pie: statistics.value(type, as: (Two, Two, Two, Two, Two).self)?.4.1
        }
    }
}
