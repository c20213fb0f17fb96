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
            RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, gateway, interface, metric, table)
    }

    /// Deletes the route that `addDefault` added.
    public static func deleteDefault(
        via gateway: IPAddress, on interface: Int32, metric: UInt32 = 0, table: UInt32? = nil
    ) -> NetlinkMessage {
        gatewayDefault(RTM_DELROUTE, 0, gateway, interface, metric, table)
    }

    private static func gatewayDefault(
        _ type: Int, _ flags: Int32, _ gateway: IPAddress, _ interface: Int32, _ metric: UInt32,
        _ table: UInt32?
    ) -> NetlinkMessage {
        let header = rtmsg(isIPv6: gateway.isIPv6, table: RT_TABLE_MAIN)
        return NetlinkMessage(type, flags: flags, header) { builder in
            builder.put(Int(RTA_GATEWAY.rawValue), bytes: gateway.bytes)
            builder.put(Int(RTA_OIF.rawValue), interface)
            if metric != 0 { builder.put(Int(RTA_PRIORITY.rawValue), metric) }
            if let table { builder.put(Int(RTA_TABLE.rawValue), table) }
        }
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
        ownDefault(RTM_NEWROUTE, NLM_F_CREATE, hop, isIPv6, metric, origin)
    }

    /// Deletes the route that `prependDefault` added.
    public static func deleteDefault(
        by hop: Hop, isIPv6: Bool, metric: UInt32, origin: UInt8
    ) -> NetlinkMessage {
        ownDefault(RTM_DELROUTE, 0, hop, isIPv6, metric, origin)
    }

    private static func ownDefault(
        _ type: Int, _ flags: Int32, _ hop: Hop, _ isIPv6: Bool, _ metric: UInt32, _ origin: UInt8
    ) -> NetlinkMessage {
        // IPv4 needs the scope: a neighbour is nearer than hosts behind a gateway.
        let isNear = hop.gateway == nil && !isIPv6
        var header = rtmsg(
            isIPv6: isIPv6, table: RT_TABLE_MAIN, scope: isNear ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE)
        header.rtm_protocol = origin
        // The original route was accepted, possibly because it declared its gateway on-link.
        header.rtm_flags = hop.gateway == nil ? 0 : UInt32(RTNH_F_ONLINK)
        return NetlinkMessage(type, flags: flags, header) { builder in
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
        }
    }
}

extension rtmsg {
    /// The fixed part of a message about a route that linkcond adds.
    init(
        isIPv6: Bool, prefixLength: UInt8 = 0, table: rt_class_t = RT_TABLE_UNSPEC,
        type: Int = RTN_UNICAST, scope: rt_scope_t = RT_SCOPE_UNIVERSE
    ) {
        self.init()
        rtm_family = UInt8(isIPv6 ? AF_INET6 : AF_INET)
        rtm_dst_len = prefixLength
        rtm_table = UInt8(table.rawValue)
        rtm_protocol = UInt8(RTPROT_STATIC)
        rtm_type = UInt8(type)
        rtm_scope = UInt8(scope.rawValue)
    }
}
