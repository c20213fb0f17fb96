import LinuxKernel
import SystemPackage

/// Forwarding between the interfaces of a gateway, and the packet filter's rules for it.
final class Forwarding {
    private let network: GatewayNetwork
    private let parameters: SharedParameters
    private let rules: PacketFilterTables
    /// nil once nft could not tell what it counts.
    private var watch: FirewallWatch? = FirewallWatch()

    /// Loads the rules first, so that nothing is forwarded that they would drop.
    init(_ network: GatewayNetwork, _ environment: [String: String]) throws {
        let directory = try StateDirectory(environment: environment)
        SharedParameters.restoreAbandoned(in: directory)
        var parameters = SharedParameters()
        _ = try parameters.switchOn("net/ipv4/conf/\(network.inner)/forwarding", directory)
        let guardsUplink = try parameters.switchOn(
            "net/ipv4/conf/\(network.uplink)/forwarding", directory)
        var guardsAll6 = false
        if network.address6 != nil {
            // Tells neighbours that this is a router; they would give it up otherwise.
            _ = try parameters.switchOn("net/ipv6/conf/\(network.inner)/forwarding", directory)
            let names = [network.inner, network.uplink].map {
                "net/ipv6/conf/\($0)/force_forwarding"
            }
            if names.allSatisfy({ (try? KernelParameter($0).read()) != nil }) {
                for name in names { _ = try parameters.switchOn(name, directory) }
            } else {
                // Before Linux 6.17 it is all interfaces or none. An uplink that routers have
                // configured is to listen to them nevertheless.
                if try KernelParameter("net/ipv6/conf/\(network.uplink)/accept_ra").read() == "1" {
                    _ = try parameters.share(
                        "net/ipv6/conf/\(network.uplink)/accept_ra", wanting: "2",
                        directory: directory)
                }
                guardsAll6 = try parameters.switchOn("net/ipv6/conf/all/forwarding", directory)
            }
        }
        guard let rules = try PacketFilterTables.open(before: parameters) else {
            throw GatewayError(
                "nft is not installed; on Debian and Ubuntu: sudo apt install nftables")
        }
        do {
            try rules.run(
                GatewayRules.text(
                    network, guardsUplink: guardsUplink, guardsAll6: guardsAll6))
        } catch {
            throw GatewayError(
                "nftables refuses what a gateway needs: \(error.message)"
                    + (error.isUnsupported ? "; the kernel lacks nf_tables or NAT" : ""))
        }
        try parameters.change()
        self.network = network
        self.parameters = parameters
        self.rules = rules
    }

    /// Becomes readable when the rules may have ended.
    var descriptor: FileDescriptor { rules.descriptor }

    /// Whether the rules have ended. Call when the descriptor is readable.
    var hasEnded: Bool { rules.hasEnded }

    /// Switches it on again where somebody has switched it off; whether that was so.
    func repair() throws(KernelError) -> Bool { try parameters.change() }

    /// What other firewalls of the host have begun to drop, and how to allow it.
    func complaints() -> [String] {
        guard watch != nil else { return [] }
        guard let counts = PacketFilterListing.ask("counters")?.counts else {
            watch = nil
            return []
        }
        let findings = watch?.findings(counts) ?? []
        guard !findings.isEmpty else { return [] }
        let chains = PacketFilterListing.ask("chains") ?? PacketFilterListing()
        return findings.map { "\($0); \(chains.remedy(for: $0.kind, in: network))" }
    }

    /// Ends it. All is as before then.
    func end() { rules.end() }
}

extension SharedParameters {
    fileprivate mutating func switchOn(
        _ name: String, _ directory: StateDirectory
    ) throws(KernelError) -> Bool {
        try share(name, wanting: "1", directory: directory)
    }
}
