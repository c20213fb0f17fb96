import LinuxKernel
import Netlink

/// The rules with which the far side's kernel passes the app's traffic to the relay.
///
/// Connection requests are dropped: the relay sees them through a tap before that. Once the remote
/// end has answered, it resends the request with a mark. Only marked requests reach the listener.
struct RelayRules: Sendable, Hashable {
    /// The ports of one family's transparent sockets.
    struct Ports: Sendable, Hashable {
        var stream: UInt16
        var datagram: UInt16
    }

    var network: FarNetwork
    var scope: RelayScope
    var ipv4: Ports
    var ipv6: Ports?
    /// Whether there are Multipath TCP listeners as well.
    var isMultipath = false

    /// The mark of packets resent by the relay: "lc".
    static let mark: UInt32 = 0x6c63
    /// The mark of packets resent to the listener that has the destination port.
    static let multipathMark: UInt32 = 0x6c64
    /// The routing table in which all addresses are local.
    static let table: UInt32 = 0x6c63
    private static let firstPriority: UInt32 = 0x6c63
    private static let loopbackIndex: Int32 = 1

    /// The table `linkcond`, as input for `nft -f -`.
    var nftables: String {
        """
        table inet linkcond {
            chain relay {
                type filter hook prerouting priority mangle; policy accept;
        \(rules.map { "        \($0)\n" }.joined())    }
        }

        """
    }

    private var rules: [String] {
        let families = [("ipv4", "ip", ipv4)] + (ipv6.map { [("ipv6", "ip6", $0)] } ?? [])
        let marked = families.map { family, short, ports in
            "iif lo meta mark \(Self.mark) meta nfproto \(family) meta l4proto tcp "
                + "tproxy \(short) to :\(ports.stream) accept"
        }
        let datagrams = families.map { family, short, ports in
            "meta nfproto \(family) meta l4proto udp tproxy \(short) to :\(ports.datagram) accept"
        }
        return marked + ["iifname != \"\(network.interface)\" accept"] + exceptions
            + ["tcp flags & (fin | syn | rst | ack) == syn drop", Self.foreignRule] + echoes
            + datagrams
    }

    /// The relay answers protocols other than TCP, UDP and ICMP (`ForeignProtocols`).
    private static let foreignRule = "meta l4proto != { 1, 6, 17, 58 } drop"

    /// Traffic that the kernel handles.
    private var exceptions: [String] {
        let routed = "ip protocol != udp ip daddr != \(Self.set(network.ipv4.gateways)) accept"
        return (scope == .besideRoutedIPv4 ? [routed] : []) + [
            "ip daddr { \(Self.list(network.ipv4.servers)), 224.0.0.0/4, 255.255.255.255 } accept",
            network.ipv6.map {
                "ip6 daddr { \(Self.list($0.servers)), fe80::/10, ff00::/8 } accept"
            }
                ?? "meta nfproto ipv6 accept",
        ]
    }

    /// The relay answers pings for other hosts; for IPv6 the kernel would report that it has no
    /// route.
    private var echoes: [String] {
        guard scope != .transport, let ipv6 = network.ipv6 else { return [] }
        return ["ip6 daddr != \(Self.set(ipv6.gateways)) icmpv6 type echo-request drop"]
    }

    private static func set(_ addresses: [IPAddress]) -> String {
        addresses.count == 1 ? list(addresses) : "{ \(list(addresses)) }"
    }

    private static func list(_ addresses: [IPAddress]) -> String {
        addresses.map(\.description).joined(separator: ", ")
    }

    /// Rules and routes that make the app's TCP and UDP, and packets marked by the relay, local
    /// whatever the destination.
    ///
    /// Routes to neighbours are looked up first: the far side must not answer ARP for the app's
    /// addresses, and the relay's packets to the app must leave.
    func routing(interface: Int32) -> [NetlinkMessage] {
        network.families.flatMap { addresses -> [NetlinkMessage] in
            let isIPv6 = addresses.gateway.isIPv6
            var rules = [
                RoutingRule(
                    priority: Self.firstPriority, table: Self.table, isIPv6: isIPv6,
                    mark: Self.mark)
            ]
            let isRouted = scope == .besideRoutedIPv4 && !isIPv6
            let transports = isRouted ? [IPProtocol.udp] : [IPProtocol.tcp, IPProtocol.udp]
            rules += transports.enumerated().map { index, transport in
                RoutingRule(
                    priority: Self.firstPriority + 1 + UInt32(index), table: Self.table,
                    isIPv6: isIPv6, inputInterface: network.interface, transport: transport)
            }
            if isMultipath {
                rules.append(
                    RoutingRule(
                        priority: Self.firstPriority + 3, table: Self.table, isIPv6: isIPv6,
                        mark: Self.multipathMark))
            }
            let routes = [
                Route.addLocalDefault(
                    table: Self.table, isIPv6: isIPv6, interface: Self.loopbackIndex),
                Route.addConnected(
                    table: Self.table,
                    network: addresses.gateway.masked(to: addresses.prefixLength).bytes,
                    prefixLength: addresses.prefixLength, interface: interface),
            ]
            return rules.map { $0.add() } + routes
        }
    }
}
