import CNetlink
public import LinuxKernel

extension Route {
    /// Asks where a packet from `source` for `destination` goes that arrives by `interface`, by all
    /// tables and rules. Equivalent to `ip route get DESTINATION from SOURCE iif NAME`.
    static func lookUp(
        _ destination: IPAddress, from source: IPAddress, arrivingBy interface: Int32
    ) -> NetlinkMessage {
        var header = rtmsg()
        header.rtm_family = UInt8(destination.isIPv6 ? AF_INET6 : AF_INET)
        header.rtm_dst_len = destination.isIPv6 ? 128 : 32
        header.rtm_src_len = header.rtm_dst_len
        return NetlinkMessage(RTM_GETROUTE, header) { builder in
            builder.put(Int(RTA_DST.rawValue), bytes: destination.bytes)
            builder.put(Int(RTA_SRC.rawValue), bytes: source.bytes)
            builder.put(Int(RTA_IIF.rawValue), interface)
        }
    }
}

extension Route {
    /// Asks for the entry by which this host sends packets to a destination, by all tables and rules.
    /// Equivalent to `ip route get fibmatch DESTINATION`. Since Linux 4.13.
    static func lookUpEntry(_ destination: IPAddress) -> NetlinkMessage {
        var header = rtmsg()
        header.rtm_family = UInt8(destination.isIPv6 ? AF_INET6 : AF_INET)
        header.rtm_dst_len = destination.isIPv6 ? 128 : 32
        header.rtm_flags = UInt32(RTM_F_FIB_MATCH)
        return NetlinkMessage(RTM_GETROUTE, header) { builder in
            builder.put(Int(RTA_DST.rawValue), bytes: destination.bytes)
        }
    }
}

extension NetlinkSession {
    /// The prefix length of the entry by which this host sends packets to a destination; nil if none
    /// leads there.
    public func routedPrefixLength(
        towards destination: IPAddress
    ) throws(NetlinkError) -> UInt8? {
        try get([Route.lookUpEntry(destination)])[0]?.parse(rtmsg.self)?.0.rtm_dst_len
    }

    /// The interface by which a packet from `source` for `destination` is forwarded that arrives by
    /// `interface`; nil if it is not forwarded.
    public func interface(
        towards destination: IPAddress, from source: IPAddress, arrivingBy interface: Int32
    ) throws(NetlinkError) -> Int32? {
        let request = Route.lookUp(destination, from: source, arrivingBy: interface)
        guard let route = try get([request])[0], let (fixed, attributes) = route.parse(rtmsg.self),
            fixed.rtm_type == UInt8(RTN_UNICAST)
        else { return nil }
        return attributes.value(Int(RTA_OIF.rawValue), as: Int32.self)
    }
}
