import CNetlink
public import LinuxKernel

/// A rule that chooses the routing table of a packet. Equivalent to `ip rule`.
public struct RoutingRule: Sendable, Hashable {
    /// Rules apply in the order of their priorities.
    public var priority: UInt32
    /// The table that looks up the packet.
    public var table: UInt32
    /// Whether it is an IPv6 rule.
    public var isIPv6: Bool
    /// Matches only packets that arrive here; nil for all.
    public var inputInterface: String?
    /// Matches only packets of this IP protocol; nil for all.
    public var transport: UInt8?
    /// Matches only packets with this mark; nil for all.
    public var mark: UInt32?
    /// Matches only packets from this source address; nil for all.
    public var source: IPAddress?
    /// Matches only packets to this port, if `transport` is given too; nil for all.
    public var destinationPort: UInt16?
    /// Whether the table's default routes are passed over.
    public var passesDefaultsOver: Bool

    /// Makes a rule.
    public init(
        priority: UInt32, table: UInt32, isIPv6: Bool, inputInterface: String? = nil,
        transport: UInt8? = nil, mark: UInt32? = nil, source: IPAddress? = nil,
        destinationPort: UInt16? = nil, passesDefaultsOver: Bool = false
    ) {
        self.priority = priority
        self.table = table
        self.isIPv6 = isIPv6
        self.inputInterface = inputInterface
        self.transport = transport
        self.mark = mark
        self.source = source
        self.destinationPort = destinationPort
        self.passesDefaultsOver = passesDefaultsOver
    }

    /// Adds the rule. Equivalent to `ip rule add`.
    public func add() -> NetlinkMessage {
        var header = fib_rule_hdr()
        header.family = UInt8(isIPv6 ? AF_INET6 : AF_INET)
        header.action = UInt8(FR_ACT_TO_TBL)
        header.src_len = source.map { UInt8($0.bytes.count * 8) } ?? 0
        return NetlinkMessage(RTM_NEWRULE, flags: NLM_F_CREATE | NLM_F_EXCL, header) { builder in
            builder.put(Int(FRA_PRIORITY), priority)
            builder.put(Int(FRA_TABLE), table)
            if let inputInterface { builder.put(Int(FRA_IIFNAME), inputInterface) }
            if let transport { builder.put(Int(FRA_IP_PROTO), transport) }
            if let source { builder.put(Int(FRA_SRC), bytes: source.bytes) }
            if let mark { builder.put(Int(FRA_FWMARK), mark) }
            if let destinationPort {
                let range = fib_rule_port_range(start: destinationPort, end: destinationPort)
                builder.put(Int(FRA_DPORT_RANGE), range)
            }
            if passesDefaultsOver { builder.put(Int(FRA_SUPPRESS_PREFIXLEN), UInt32(0)) }
        }
    }
}

extension Route {
    /// Delivers every packet that is looked up in `table` to this host. Equivalent to `ip route add
    /// local default dev INDEX table TABLE`.
    public static func addLocalDefault(
        table: UInt32, isIPv6: Bool, interface: Int32
    ) -> NetlinkMessage {
        add(
            table: table, isIPv6: isIPv6, destination: [], prefixLength: 0, interface: interface,
            type: RTN_LOCAL, scope: RT_SCOPE_HOST)
    }

    /// Rejects every packet that is looked up in `table` and matches no better route, so that no
    /// other table is tried. Equivalent to
    /// `ip route add unreachable default table TABLE metric 4294967295`.
    public static func addUnreachableDefault(table: UInt32, isIPv6: Bool) -> NetlinkMessage {
        let header = rtmsg(isIPv6: isIPv6, type: RTN_UNREACHABLE)
        return NetlinkMessage(RTM_NEWROUTE, flags: NLM_F_CREATE | NLM_F_EXCL, header) { builder in
            builder.put(Int(RTA_PRIORITY.rawValue), UInt32.max)
            builder.put(Int(RTA_TABLE.rawValue), table)
        }
    }

    /// Adds a route to a network that an interface is connected to. Equivalent to `ip route add
    /// ADDRESS/LENGTH dev INDEX table TABLE`.
    ///
    /// - Parameter network: the address in network byte order, 4 or 16 bytes, with zeros after the
    ///   prefix.
    public static func addConnected(
        table: UInt32, network: [UInt8], prefixLength: UInt8, interface: Int32
    ) -> NetlinkMessage {
        add(
            table: table, isIPv6: network.count == 16, destination: network,
            prefixLength: prefixLength, interface: interface, type: RTN_UNICAST,
            scope: RT_SCOPE_LINK)
    }

    /// Makes this the source address of packets to a network that an interface is connected to, if
    /// their program has chosen none. Equivalent to
    /// `ip route replace ADDRESS/LENGTH dev INDEX src ADDRESS`.
    ///
    /// - Parameter network: the address in network byte order, 4 or 16 bytes, with zeros after the
    ///   prefix.
    public static func preferSource(
        _ source: IPAddress, network: [UInt8], prefixLength: UInt8, interface: Int32
    ) -> NetlinkMessage {
        let header = rtmsg(
            isIPv6: source.isIPv6, prefixLength: prefixLength, table: RT_TABLE_MAIN,
            scope: RT_SCOPE_LINK)
        return NetlinkMessage(RTM_NEWROUTE, flags: NLM_F_CREATE | NLM_F_REPLACE, header) {
            builder in
            builder.put(Int(RTA_DST.rawValue), bytes: network)
            builder.put(Int(RTA_OIF.rawValue), interface)
            builder.put(Int(RTA_PREFSRC.rawValue), bytes: source.bytes)
            // The kernel's own route has metric 256 for IPv6, and none for IPv4.
            if source.isIPv6 { builder.put(Int(RTA_PRIORITY.rawValue), UInt32(1)) }
        }
    }

    private static func add(
        table: UInt32, isIPv6: Bool, destination: [UInt8], prefixLength: UInt8, interface: Int32,
        type: Int, scope: rt_scope_t
    ) -> NetlinkMessage {
        let header = rtmsg(isIPv6: isIPv6, prefixLength: prefixLength, type: type, scope: scope)
        return NetlinkMessage(RTM_NEWROUTE, flags: NLM_F_CREATE | NLM_F_EXCL, header) { builder in
            if !destination.isEmpty { builder.put(Int(RTA_DST.rawValue), bytes: destination) }
            builder.put(Int(RTA_OIF.rawValue), interface)
            builder.put(Int(RTA_TABLE.rawValue), table)
        }
    }
}
