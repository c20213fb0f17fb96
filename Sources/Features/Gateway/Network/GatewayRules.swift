/// The packet filter rules of a gateway, as commands for `nft --interactive`.
///
/// The tables belong to the process that loads them, and vanish with it. The devices reach the
/// outside behind the gateway's own address, and nobody outside reaches them. Where forwarding was
/// enabled for the gateway alone, nothing else is forwarded.
enum GatewayRules {
    static let table = "linkcond_gateway"

    /// Chains at both ends of the hooks in which other firewalls drop packets.
    private static let chains = [
        ("forward", "type filter hook forward priority filter - 10"),
        ("forwarded", "type filter hook postrouting priority srcnat + 100"),
        ("asked", "type filter hook input priority filter - 10"),
        ("heard", "type filter hook input priority filter + 200"),
    ]

    /// - Parameters:
    ///   - guardsUplink: whether forwarding of what arrives by the uplink was off before.
    ///   - guardsAll6: whether forwarding of IPv6 was off on all interfaces before.
    static func text(
        _ network: GatewayNetwork, guardsUplink: Bool, guardsAll6: Bool
    ) -> String {
        let (inner, uplink) = ("\"\(network.inner)\"", "\"\(network.uplink)\"")
        var lines: [String] = []
        for family in ["ip", "ip6"] where family == "ip" || network.address6 != nil {
            let table = "\(family) \(Self.table)"
            var drops = [
                "iifname \(inner) oifname != { \(inner), \(uplink) } drop",
                "oifname \(inner) iifname != \(inner) ct state { new, invalid } drop",
            ]
            if guardsUplink { drops.append("iifname \(uplink) oifname != \(inner) drop") }
            if guardsAll6, family == "ip6" {
                drops.append("iifname != { \(inner), \(uplink) } drop")
            }
            lines.append("add table \(table) { flags owner; }")
            lines += chains.map { "add chain \(table) \($0) { \($1); }" }
            lines += drops.map { "add rule \(table) forward \($0)" }
            lines += [
                "add chain \(table) out { type nat hook postrouting priority srcnat; }",
                "add rule \(table) out iifname \(inner) oifname \(uplink) masquerade",
            ]
            for traffic in WatchedTraffic.allCases {
                let match = traffic.match(network, isIPv6: family == "ip6")
                for isAfter in [false, true] {
                    let counter = traffic.counter(isAfter: isAfter)
                    lines += [
                        "add counter \(table) \(counter)",
                        "add rule \(table) \(traffic.chain(isAfter: isAfter)) \(match) "
                            + "counter name \(counter)",
                    ]
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
