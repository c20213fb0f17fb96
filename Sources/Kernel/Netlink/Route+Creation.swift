import CNetlink
public import LinuxKernel

extension Route {
    /// Routes packets that match no other route to `gateway`. Equivalent to `ip route add default
    /// via GATEWAY dev NAME metric N table N`.
    ///
    /// - Parameters:
    ///   - metric: lower is preferred; IPv6 treats 0 as 1024.
    ///   - table: the routing table; nil for the main one.
    public static func addDefault(
        via gateway: IPAddress, on interface: Int32, metric: UInt32 = 0, table: UInt32? = nil
    ) -> NetlinkMessage {
        gatewayDefault(
            RTM_NEWROUTE, Int(NLM_F_CREATE | NLM_F_EXCL), gateway, interface, metric, table)
    }

    /// Deletes the route that `addDefault` added.
    public static func deleteDefault(
        via gateway: IPAddress, on interface: Int32, metric: UInt32 = 0, table: UInt32? = nil
    ) -> NetlinkMessage {
        gatewayDefault(RTM_DELROUTE, 0, gateway, interface, metric, table)
    }

    private static func gatewayDefault(
        _ type: Int, _ flags: Int, _ gateway: IPAddress, _ interface: Int32, _ metric: UInt32,
        _ table: UInt32?
    ) -> NetlinkMessage {
        let builder = MessageBuilder(type: type, flags: flags)
        var header = rtmsg()
        header.rtm_family = gateway.family
        header.rtm_table = UInt8(RT_TABLE_MAIN.rawValue)
        header.rtm_protocol = UInt8(RTPROT_STATIC)
        header.rtm_type = UInt8(RTN_UNICAST)
        builder.append(header)
        builder.put(Int(RTA_GATEWAY.rawValue), bytes: gateway.bytes)
        builder.put(Int(RTA_OIF.rawValue), interface)
        if metric != 0 { builder.put(Int(RTA_PRIORITY.rawValue), metric) }
        if let table { builder.put(Int(RTA_TABLE.rawValue), table) }
        return builder.finish()
    }

    /// Routes packets that match no other route to a hop, ahead of other default routes of the same
    /// metric. Equivalent to `ip route prepend default via GATEWAY dev NAME metric N proto N`.
    ///
    /// - Parameters:
    ///   - metric: lower is preferred; IPv6 treats 0 as 1024.
    ///   - origin: the route's protocol, by which it can be found again.
    public static func prependDefault(
        by hop: Hop, isIPv6: Bool, metric: UInt32, origin: UInt8
    ) -> NetlinkMessage {
        ownDefault(RTM_NEWROUTE, Int(NLM_F_CREATE), hop, isIPv6, metric, origin)
    }

    /// Deletes the route that `prependDefault` added.
    public static func deleteDefault(
        by hop: Hop, isIPv6: Bool, metric: UInt32, origin: UInt8
    ) -> NetlinkMessage {
        ownDefault(RTM_DELROUTE, 0, hop, isIPv6, metric, origin)
    }

    private static func ownDefault(
        _ type: Int, _ flags: Int, _ hop: Hop, _ isIPv6: Bool, _ metric: UInt32, _ origin: UInt8
    ) -> NetlinkMessage {
        let builder = MessageBuilder(type: type, flags: flags)
        var header = rtmsg()
        header.rtm_family = UInt8(isIPv6 ? AF_INET6 : AF_INET)
        header.rtm_table = UInt8(RT_TABLE_MAIN.rawValue)
        header.rtm_protocol = origin
        header.rtm_type = UInt8(RTN_UNICAST)
        // IPv4 needs the scope: a neighbour is nearer than hosts behind a gateway.
        let isNear = hop.gateway == nil && !isIPv6
        header.rtm_scope = UInt8((isNear ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE).rawValue)
        // The original route was accepted, possibly because it declared its gateway on-link.
        header.rtm_flags = hop.gateway == nil ? 0 : UInt32(RTNH_F_ONLINK)
        builder.append(header)
        if let gateway = hop.gateway {
            if gateway.isIPv6 == isIPv6 {
                builder.put(Int(RTA_GATEWAY.rawValue), bytes: gateway.bytes)
            } else {
                let family = UInt16(gateway.family)
                let head = [UInt8(family & 0xff), UInt8(family >> 8)]
                builder.put(Int(RTA_VIA.rawValue), bytes: head + gateway.bytes)
            }
        }
        builder.put(Int(RTA_OIF.rawValue), hop.interface)
        if metric != 0 { builder.put(Int(RTA_PRIORITY.rawValue), metric) }
        return builder.finish()
    }
}
