import LinuxKernel

/// The configuration of dnsmasq, which gives the devices addresses and names.
struct DNSMasqConfiguration {
    /// Where its files are.
    struct Files {
        /// A directory that its user may read.
        var directory: String

        var configuration: String { directory + "/dnsmasq.conf" }
        var leases: String { directory + "/leases" }
        var process: String { directory + "/dnsmasq.pid" }
    }

    var network: GatewayNetwork
    var files: Files
    /// The servers that it asks; empty: those of the host.
    var servers: [IPAddress] = []
    /// The user that it becomes.
    var user: String
    /// Which devices are told that the network costs money.
    var costs = NetworkCosts()

    private static let leaseTime = "1h"

    /// The file.
    var text: String {
        let pool = network.pool
        var lines = [
            "# Written by linkcond gateway.",
            "user=\(user)",
            "pid-file=\(files.process)",
            "interface=\(network.inner)",
            "except-interface=lo",
            "bind-interfaces",
            "no-hosts",
            "domain-needed",
            "bogus-priv",
            "domain=\(GatewayNetwork.host)",
            "local=/\(GatewayNetwork.host)/",
            "host-record=\(([GatewayNetwork.host] + network.addresses.map(\.description)).joined(separator: ","))",
            "dhcp-authoritative",
            // It would wait for three seconds for each device, one after the other.
            "no-ping",
            "dhcp-range=\(pool.first),\(pool.last),\(network.mask),\(Self.leaseTime)",
            "dhcp-leasefile=\(files.leases)",
        ]
        lines += costs.lines
        if let base6 = network.base6 {
            lines += [
                "enable-ra",
                "dhcp-range=\(base6),ra-stateless,ra-names,64,\(Self.leaseTime)",
            ]
        }
        if !servers.isEmpty {
            lines += ["no-resolv"] + servers.map { "server=\($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
