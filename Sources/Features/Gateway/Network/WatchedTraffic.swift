/// Traffic without which devices do without a network, and which another firewall of the host may drop:
/// it is counted before such a firewall sees it, and after.
enum WatchedTraffic: String, CaseIterable {
    /// From the devices to the outside.
    case outgoing
    /// The way back.
    case answers
    /// Requests for addresses (DHCP).
    case leases
    /// Queries for names (DNS).
    case names
    /// Connections to the page.
    case page

    /// Whether it goes through the host.
    var isForwarded: Bool { self == .outgoing || self == .answers }

    /// For messages.
    var title: String {
        switch self {
        case .outgoing: "what devices send to the outside"
        case .answers: "what the outside answers to devices"
        case .leases: "devices' requests for addresses (DHCP)"
        case .names: "devices' queries for names (DNS)"
        case .page: "devices' requests for the page"
        }
    }

    /// The name of its counter, before or after other firewalls.
    func counter(isAfter: Bool) -> String { rawValue + (isAfter ? "-passed" : "-offered") }

    /// The chain of `GatewayRules` that counts it.
    func chain(isAfter: Bool) -> String {
        isForwarded ? (isAfter ? "forwarded" : "forward") : (isAfter ? "heard" : "asked")
    }

    /// The condition of a rule that counts it.
    func match(_ network: GatewayNetwork, isIPv6: Bool) -> String {
        let (inner, uplink) = ("\"\(network.inner)\"", "\"\(network.uplink)\"")
        switch self {
        case .outgoing: return "iifname \(inner) oifname \(uplink)"
        case .answers: return "iifname \(uplink) oifname \(inner)"
        case .leases: return "iifname \(inner) udp dport \(isIPv6 ? 547 : 67)"
        case .names: return "iifname \(inner) meta l4proto { tcp, udp } th dport 53"
        case .page: return "iifname \(inner) tcp dport \(PageServer.port)"
        }
    }
}
