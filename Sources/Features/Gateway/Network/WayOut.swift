import LinuxKernel

/// Notices when this host reaches the Internet by another interface than the gateway's uplink, such as
/// a VPN's: what devices send there is dropped then (`GatewayRules`).
struct WayOut {
    /// The interfaces that lead there in place of the uplink, by family.
    private var others: [Bool: String] = [:]

    /// An address of the Internet that does not change: a.root-servers.net. Nothing is sent there.
    static func destination(isIPv6: Bool) -> IPAddress {
        isIPv6
            ? IPAddress(ipv6High: 0x2001_0503_ba3e << 16, low: 2 << 16 | 0x30)
            : IPAddress(ipv4: 198 << 24 | 41 << 16 | 4)
    }

    /// What is to be said of it, given the interface that leads there now.
    mutating func note(_ interface: String, isIPv6: Bool, uplink: String) -> String? {
        let other = interface == uplink ? nil : interface
        guard other != others[isIPv6] else { return nil }
        others[isIPv6] = other
        let internet = "the Internet by IPv\(isIPv6 ? 6 : 4)"
        guard let other else { return "\(uplink) leads to \(internet) again" }
        return "\(other) leads to \(internet), and not \(uplink): what devices send there is "
            + "dropped; if they are to use \(other), start the gateway with --uplink "
            + "\(ShellWord(other))"
    }
}
