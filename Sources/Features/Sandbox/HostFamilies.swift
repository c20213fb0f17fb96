import LinkModel
import LinuxKernel

/// Which families of addresses lead out of the calling thread's network namespace.
enum HostFamilies {
    /// Addresses that no host has (RFC 5737, RFC 3849): nothing is sent there.
    private static let unused4 = IPAddress(ipv4: 0xc000_0201)
    private static let unused6 = IPAddress(ipv6High: 0x2001_0db8_0000_0000, low: 1)

    /// What is to be said of networks that lead to IPv4 where the host has IPv6 alone, as inside a run in
    /// such a network; nil: nothing.
    static func note(on families: Set<NetworkFamily>) -> String? {
        guard
            let family = families.sorted(by: { $0.rawValue < $1.rawValue }).first(
                where: { $0 != .ipv6 }), !leadsOut(to: unused4), leadToIPv6
        else { return nil }
        return
            "this host has IPv6 alone: with family: \(family.rawValue), no other hosts than this one "
            + "and the run's servers are reached by IPv4; family: ipv6 leads further, by the NAT64 of "
            + "this host's network if it has one"
    }

    /// Whether they lead to hosts of IPv6.
    static var leadToIPv6: Bool { leadsOut(to: unused6) }

    private static func leadsOut(to address: IPAddress) -> Bool {
        (try? DatagramSocket(connectedTo: Endpoint(address, port: DNSMessage.port))) != nil
    }
}
