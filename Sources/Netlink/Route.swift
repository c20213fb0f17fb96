import CNetlink

/// A route of the main table, as far as linkcond asks: where a default route leads.
public struct Route: Sendable, Hashable {
    /// The interface; nil for routes over several.
    public let interface: Int32?
    /// Whether it matches every destination.
    public let isDefault: Bool
    /// The lower, the more preferred.
    public let metric: UInt32
    /// Whether it is a route of IPv6.
    public let isIPv6: Bool

    /// Reads an `RTM_NEWROUTE` message; nil for any other and for tables other than main.
    public init?(_ message: NetlinkMessage) {
        guard message.type == UInt16(RTM_NEWROUTE),
            let (fixed, attributes) = message.parse(rtmsg.self),
            fixed.rtm_table == UInt8(RT_TABLE_MAIN.rawValue),
            fixed.rtm_type == UInt8(RTN_UNICAST)
        else { return nil }
        interface =
            attributes.value(Int(RTA_OIF.rawValue), as: Int32.self)
            ?? Self.firstHop(attributes[Int(RTA_MULTIPATH.rawValue)])
        isDefault = fixed.rtm_dst_len == 0
        metric = attributes.value(Int(RTA_PRIORITY.rawValue), as: UInt32.self) ?? 0
        isIPv6 = fixed.rtm_family == UInt8(AF_INET6)
    }

    private static func firstHop(_ bytes: ArraySlice<UInt8>?) -> Int32? {
        bytes?.value(at: 0, as: rtnexthop.self)?.rtnh_ifindex
    }

    /// Asks for all routes. Equivalent to `ip -4 route` and `ip -6 route` together.
    public static func list() -> NetlinkMessage {
        let builder = MessageBuilder(type: RTM_GETROUTE)
        builder.append(rtmsg())
        return builder.finish()
    }
}
