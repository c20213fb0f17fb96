import FoundationEssentials
import LinuxKernel

/// What `nft --json list` says.
struct PacketFilterListing: Decodable {
    struct Item: Decodable {
        struct Counter: Decodable {
            let family: String
            let table: String
            let name: String
            let packets: Int
        }

        struct Chain: Decodable {
            let family: String
            let table: String
            let name: String
            let hook: String?
            let policy: String?
        }

        let counter: Counter?
        let chain: Chain?
    }

    let nftables: [Item]

    init(_ nftables: [Item] = []) { self.nftables = nftables }

    /// Lists what is called so in the calling thread's network namespace; nil if nft cannot.
    static func ask(_ what: String) -> Self? {
        guard let program = HelperProgram.path(of: "nft"),
            let result = try? HelperProgram.run(
                program, ["--json", "list", what], input: "", patience: .seconds(5)),
            result.exitCode == 0
        else { return nil }
        return Self(result.text)
    }

    /// Reads what nft has written to both outputs: the listing is a line, and warnings are others.
    init?(_ text: String) {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("{") }),
            let listing = try? JSONDecoder().decode(Self.self, from: Data(line.utf8))
        else { return nil }
        self = listing
    }

    /// The gateway's own counters.
    var counts: [FirewallWatch.Kind: FirewallWatch.Count] {
        var counts: [FirewallWatch.Kind: FirewallWatch.Count] = [:]
        for counter in nftables.compactMap(\.counter) where counter.table == GatewayRules.table {
            for traffic in WatchedTraffic.allCases {
                let kind = FirewallWatch.Kind(traffic: traffic, isIPv6: counter.family == "ip6")
                if counter.name == traffic.counter(isAfter: false) {
                    counts[kind, default: .init()].offered = counter.packets
                } else if counter.name == traffic.counter(isAfter: true) {
                    counts[kind, default: .init()].passed = counter.packets
                }
            }
        }
        return counts
    }

    /// How to allow what is dropped, by the firewall that seems to be in charge.
    func remedy(for kind: FirewallWatch.Kind, in network: GatewayNetwork) -> String {
        let families = [kind.isIPv6 ? "ip6" : "ip", "inet"]
        let chains = nftables.compactMap(\.chain).filter {
            families.contains($0.family) && $0.table != GatewayRules.table
        }
        let (inner, uplink) = (network.inner, network.uplink)
        let isForwarded = kind.traffic.isForwarded
        if chains.contains(where: { $0.table == "firewalld" }) {
            return "allow it: sudo firewall-cmd --zone=trusted --add-interface=\(inner)"
        }
        if chains.contains(where: { $0.name.hasPrefix("ufw") }) {
            return isForwarded
                ? "allow it: sudo ufw route allow in on \(inner) out on \(uplink)"
                : "allow it: sudo ufw allow in on \(inner)"
        }
        let iptables = kind.isIPv6 ? "ip6tables" : "iptables"
        let hook = isForwarded ? "forward" : "input"
        if isForwarded, chains.contains(where: { $0.name == "DOCKER-USER" }) {
            return "allow it: " + Self.bothWays("sudo \(iptables) -I DOCKER-USER", inner)
        }
        let chain = chains.first { $0.hook == hook && $0.policy == "drop" }
        guard let chain else {
            return "allow what comes from \(inner)"
                + (isForwarded ? ", and the answers to it" : "")
                + " (sudo nft list ruleset and sudo iptables-save show the rules)"
        }
        if chain.table == "filter", chain.name == hook.uppercased(), chain.family != "inet" {
            return "allow it: "
                + (isForwarded
                    ? Self.bothWays("sudo \(iptables) -I FORWARD", inner)
                    : "sudo \(iptables) -I INPUT -i \(inner) -j ACCEPT")
        }
        let command = "sudo nft insert rule \(chain.family) \(chain.table) \(chain.name)"
        return "allow it: \(command) iifname \(inner) accept"
            + (isForwarded ? "; \(command) oifname \(inner) accept" : "")
    }

    private static func bothWays(_ command: String, _ inner: String) -> String {
        "\(command) -i \(inner) -j ACCEPT; \(command) -o \(inner) -j ACCEPT"
    }
}
