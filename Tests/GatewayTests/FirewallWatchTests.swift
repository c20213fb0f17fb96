import LinkTesting
import Testing

@testable import Gateway

@Suite("Firewalls beside a gateway", .tags(.unit))
struct FirewallWatchTests {
    private static let outgoing = FirewallWatch.Kind(traffic: .outgoing, isIPv6: false)
    private static let names6 = FirewallWatch.Kind(traffic: .names, isIPv6: true)

    private static func network() throws -> GatewayNetwork {
        try GatewayNetwork(inner: "lan0", uplink: "wan0", address: "192.168.77.1/24")
    }

    /// What is found at each of these times.
    private static func findings(
        _ counts: [(offered: Int, passed: Int)], of kind: FirewallWatch.Kind = outgoing
    ) -> [Int] {
        var watch = FirewallWatch()
        return counts.map {
            let count = FirewallWatch.Count(offered: $0.offered, passed: $0.passed)
            return watch.findings([kind: count]).first?.lost ?? 0
        }
    }

    @Test func `what never passes is told once`() {
        #expect(Self.findings([(0, 0), (2, 0), (3, 0), (9, 0)]) == [0, 0, 3, 0])
    }

    @Test func `what passes is not told, though some of it is on its way`() {
        #expect(Self.findings([(1, 0), (9, 8), (11, 9), (40, 40)]) == [0, 0, 0, 0])
    }

    @Test func `where some has passed it takes more, and is told again after a remedy`() {
        #expect(
            Self.findings([(5, 5), (34, 5), (35, 5), (36, 6), (65, 6), (66, 6)])
                == [0, 0, 30, 0, 0, 30])
        // What is for the gateway itself nobody forbids in part.
        #expect(Self.findings([(5, 5), (8, 5), (9, 5)], of: Self.names6) == [0, 3, 0])
    }

    @Test func `each kind and family is judged by itself`() {
        var watch = FirewallWatch()
        let found = watch.findings([
            Self.outgoing: .init(offered: 7, passed: 7), Self.names6: .init(offered: 7),
        ])
        #expect(found == [FirewallWatch.Finding(kind: Self.names6, lost: 7)])
    }

    @Test func `counters are read from what nft says`() throws {
        let records = [
            #"{"metainfo": {"version": "1.0.6", "json_schema_version": 1}}"#,
            Self.counter("ip", "linkcond_gateway", "outgoing-offered", packets: 4),
            Self.counter("ip", "other", "outgoing-passed", packets: 4),
            Self.counter("ip6", "linkcond_gateway", "names-passed", packets: 2),
        ].joined(separator: ", ")
        let text = """
            # Warning: table ip filter is managed by iptables-nft, do not touch!
            {"nftables": [\(records)]}

            """
        let listing = try #require(PacketFilterListing(text))
        #expect(
            listing.counts == [
                Self.outgoing: .init(offered: 4), Self.names6: .init(passed: 2),
            ])
    }

    @Test(arguments: [
        (
            "ip filter FORWARD forward drop, ip filter DOCKER-USER", WatchedTraffic.outgoing, false,
            "sudo iptables -I DOCKER-USER -i lan0 -j ACCEPT; sudo iptables -I DOCKER-USER -o lan0 -j ACCEPT"
        ),
        (
            "ip filter INPUT input drop, ip filter DOCKER-USER", .names, false,
            "sudo iptables -I INPUT -i lan0 -j ACCEPT"
        ),
        (
            "ip6 filter FORWARD forward drop", .answers, true,
            "sudo ip6tables -I FORWARD -i lan0 -j ACCEPT; sudo ip6tables -I FORWARD -o lan0 -j ACCEPT"
        ),
        (
            "ip filter FORWARD forward drop, ip filter ufw-before-forward", .outgoing, false,
            "sudo ufw route allow in on lan0 out on wan0"
        ),
        (
            "ip filter INPUT input drop, ip filter ufw-before-input", .leases, false,
            "sudo ufw allow in on lan0"
        ),
        (
            "inet firewalld filter_FORWARD forward accept", .outgoing, true,
            "sudo firewall-cmd --zone=trusted --add-interface=lan0"
        ),
        (
            "inet own in input drop, inet own out forward drop", .page, false,
            "sudo nft insert rule inet own in iifname lan0 accept"
        ),
        (
            "inet own in input drop, inet own out forward drop", .outgoing, false,
            "sudo nft insert rule inet own out iifname lan0 accept; sudo nft insert rule inet own out oifname lan0 accept"
        ),
    ])
    func `the remedy is for the firewall in charge`(
        chains: String, traffic: WatchedTraffic, isIPv6: Bool, remedy: String
    ) throws {
        #expect(
            try Self.listing(chains).remedy(
                for: .init(traffic: traffic, isIPv6: isIPv6), in: Self.network())
                == "allow it: \(remedy)")
    }

    @Test func `where no firewall is seen, the message says where to look`() throws {
        for chains in ["", "ip6 filter FORWARD forward drop", "ip filter FORWARD forward accept"] {
            let text = try Self.listing(chains).remedy(for: Self.outgoing, in: Self.network())
            #expect(text.contains("iptables-save"), "\(chains)")
        }
    }

    private static func counter(
        _ family: String, _ table: String, _ name: String, packets: Int
    ) -> String {
        """
        {"counter": {"family": "\(family)", "name": "\(name)", "table": "\(table)", "handle": 7, \
        "packets": \(packets), "bytes": 99}}
        """
    }

    /// Each chain as its family, table, name, hook and policy.
    private static func listing(_ chains: String) -> PacketFilterListing {
        PacketFilterListing(
            chains.split(separator: ", ").map { line in
                let words = line.split(separator: " ").map(String.init)
                return PacketFilterListing.Item(
                    counter: nil,
                    chain: .init(
                        family: words[0], table: words[1], name: words[2],
                        hook: words.count > 3 ? words[3] : nil,
                        policy: words.count > 4 ? words[4] : nil))
            })
    }
}
