import CNetlink
public import Netlink

/// A qdisc as the kernel reports it, with its counters.
public struct QdiscState: Sendable, Hashable {
    /// The interface's index.
    public let interfaceIndex: Int32
    /// Its handle.
    public let handle: QdiscHandle
    /// Its parent.
    public let parent: QdiscHandle
    /// Its kind.
    public let kind: Qdisc.Kind
    /// Its counters.
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

/// Counters of a qdisc since its creation.
public struct TrafficStatistics: Sendable, Hashable {
    /// Packets that left it.
    public var packets: UInt64 = 0
    /// Bytes that left it, including link-layer headers.
    public var bytes: UInt64 = 0
    /// Packets dropped in it and, as the kernel counts, below it.
    public var drops: UInt32 = 0
    /// Packets that it marked instead of dropping them (ECN); nil if its kind does not mark.
    public var marks: UInt32?
    /// Packets in it now.
    public var queuedPackets: UInt32 = 0
    /// The current rate in bytes per second, by the kernel's estimator; zero if it has none.
    public var bytesPerSecond: UInt64 = 0
    /// The current rate in packets per second, likewise.
    public var packetsPerSecond: UInt64 = 0

    /// All counters zero.
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
    /// The marks in the kind's own statistics (`tc_codel_xstats`, `tc_fq_codel_xstats`,
    /// `tc_pie_xstats` in the kernel's pkt_sched.h). Newer kernels append fields to them.
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
