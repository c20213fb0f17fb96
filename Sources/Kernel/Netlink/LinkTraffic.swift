import CNetlink

/// What an interface has received and sent since it exists, with link-layer headers.
public struct LinkTraffic: Sendable, Hashable {
    /// Packets received; a super-packet counts as one.
    public let receivedPackets: UInt64
    /// Packets sent; a super-packet counts as one.
    public let sentPackets: UInt64
    /// Bytes received.
    public let receivedBytes: UInt64
    /// Bytes sent.
    public let sentBytes: UInt64

    /// Reads the answer to `Link.get`; nil for any other message.
    public init?(_ message: NetlinkMessage) {
        // `rtnl_link_stats64` begins with these; the rest depends on the kernel's version.
        typealias Counters = (UInt64, UInt64, UInt64, UInt64)
        guard message.type == UInt16(RTM_NEWLINK),
            let (_, attributes) = message.parse(ifinfomsg.self),
            let counters = attributes.value(Int(IFLA_STATS64), as: Counters.self)
        else { return nil }
        (receivedPackets, sentPackets, receivedBytes, sentBytes) = counters
    }
}
