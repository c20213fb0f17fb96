import CNetlink
public import LinuxKernel

/// A route of the main table, with only what linkcond needs: where a default route leads.
public struct Route: Sendable, Hashable {
    /// The next hop of a route.
    public struct Hop: Sendable, Hashable {
        /// The interface.
        public let interface: Int32
        /// The gateway; nil for neighbours.
        public let gateway: IPAddress?

        /// Makes a hop from an interface and a gateway.
        public init(interface: Int32, gateway: IPAddress?) {
            self.interface = interface
            self.gateway = gateway
        }
    }

    /// The interface; for a multipath route, that of the first hop.
    public let interface: Int32?
    /// Whether it matches every destination.
    public let isDefault: Bool
    /// Lower is preferred.
    public let metric: UInt32
    /// Whether it is an IPv6 route.
    public let isIPv6: Bool
    /// The destination network, up to its prefix; nil for a default route.
    public let destination: IPAddress?
    /// How many bits of the destination must match.
    public let prefixLength: UInt8
    /// The protocol that added it (`RTPROT_…`).
    public let origin: UInt8
    /// The next hops; several for a multipath route.
    public let hops: [Hop]

    /// Reads an `RTM_NEWROUTE` message; nil for any other and for tables other than main.
    public init?(_ message: NetlinkMessage) {
        guard message.type == UInt16(RTM_NEWROUTE),
            let (fixed, attributes) = message.parse(rtmsg.self),
            fixed.rtm_table == UInt8(RT_TABLE_MAIN.rawValue),
            fixed.rtm_type == UInt8(RTN_UNICAST)
        else { return nil }
        hops = Self.hops(attributes)
        interface = hops.first?.interface
        isDefault = fixed.rtm_dst_len == 0
        metric = attributes.value(Int(RTA_PRIORITY.rawValue), as: UInt32.self) ?? 0
        isIPv6 = fixed.rtm_family == UInt8(AF_INET6)
        destination = attributes[Int(RTA_DST.rawValue)].flatMap { IPAddress(bytes: $0) }
        prefixLength = fixed.rtm_dst_len
        origin = fixed.rtm_protocol
    }

    private static func hops(_ attributes: Attributes) -> [Hop] {
        if let interface = attributes.value(Int(RTA_OIF.rawValue), as: Int32.self) {
            return [Hop(interface: interface, gateway: gateway(attributes))]
        }
        var hops: [Hop] = []
        var rest = attributes[Int(RTA_MULTIPATH.rawValue)] ?? []
        while let hop = rest.value(at: 0, as: rtnexthop.self) {
            let length = Int(hop.rtnh_len)
            let header = MemoryLayout<rtnexthop>.size
            guard length >= header, length <= rest.count else { break }
            let inner = Attributes(rest.prefix(length).dropFirst(header))
            hops.append(Hop(interface: hop.rtnh_ifindex, gateway: gateway(inner)))
            rest = rest.dropFirst(length.alignedForNetlink)
        }
        return hops
    }

    private static func gateway(_ attributes: Attributes) -> IPAddress? {
        if let bytes = attributes[Int(RTA_GATEWAY.rawValue)] { return IPAddress(bytes: bytes) }
        // A gateway of the other family: two bytes for the family, then the address.
        return attributes[Int(RTA_VIA.rawValue)].flatMap { IPAddress(bytes: $0.dropFirst(2)) }
    }

    /// Asks for all routes. Equivalent to `ip -4 route` and `ip -6 route` together.
    public static func list() -> NetlinkMessage {
        NetlinkMessage(RTM_GETROUTE, rtmsg())
    }
}
