import LinuxKernel
import Netlink

/// What the far side's kernel has to do so that the relay gets the app's traffic.
///
/// Connection requests are dropped: the relay sees them through a tap that comes before, and
/// sends those whose far end answered once more, with a mark. Only these reach the listener.
struct RelayRules: Sendable, Hashable {
    /// The ports of the transparent sockets of one family.
    struct Ports: Sendable, Hashable {
        var stream: UInt16
        var datagram: UInt16
    }

    var network: FarNetwork
    var scope: RelayScope
    var ipv4: Ports
    var ipv6: Ports?
    /// Whether there are listeners of Multipath TCP as well.
    var isMultipath = false

    /// The mark of packets that the relay sends: "lc".
    static let mark: UInt32 = 0x6c63
    /// The mark of packets that the relay sends to listeners that have the port in question.
    static let multipathMark: UInt32 = 0x6c64
    /// The routing table in which all addresses belong to the far side.
    static let table: UInt32 = 0x6c63
    private static let firstPriority: UInt32 = 0x6c63
    private static let loopbackIndex: Int32 = 1

    /// The table `linkcond` for `nft -f -`.
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
            + ["tcp flags & (fin | syn | rst | ack) == syn drop"] + echoes + datagrams
    }

    /// What is left to the kernel.
    private var exceptions: [String] {
        let routed = "ip protocol != udp ip daddr != \(Self.set(network.ipv4.gateways)) accept"
        return (scope == .besideRoutedIPv4 ? [routed] : []) + [
            "ip daddr { \(network.ipv4.server), 224.0.0.0/4, 255.255.255.255 } accept",
            network.ipv6.map { "ip6 daddr { \($0.server), fe80::/10, ff00::/8 } accept" }
                ?? "meta nfproto ipv6 accept",
        ]
    }

    /// The relay answers pings for others; the kernel says for IPv6 that it has no route there.
    private var echoes: [String] {
        guard scope != .transport, let ipv6 = network.ipv6 else { return [] }
        return ["ip6 daddr != \(Self.set(ipv6.gateways)) icmpv6 type echo-request drop"]
    }

    private static func set(_ addresses: [IPAddress]) -> String {
        let words = addresses.map(\.description)
        return words.count == 1 ? words[0] : "{ \(words.joined(separator: ", ")) }"
    }

    /// Rules and routes by which the app's TCP and UDP, and what the relay marks, belong to the
    /// far side itself wherever it goes.
    ///
    /// Neighbours are looked up before: the far side must not answer ARP for the app's addresses,
    /// and what the relay sends to the app has to leave.
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
