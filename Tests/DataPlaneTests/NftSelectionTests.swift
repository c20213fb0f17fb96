import LinkModel
import LinkTesting
import Testing

@testable import DataPlane

@Suite("Selectors as nftables rules")
struct NftSelectionTests {
    private static let selectors: [String] = [
        "", "family=ipv4", "to=192.0.2.0/24,to=2001:db8::/47,port=80,port=443-445",
        "to=192.0.2.2,from=192.0.2.1,to-port=51234,from-port=22,protocol=tcp",
        "protocol=udp,protocol=icmp", ";port=22;to=192.0.2.9,protocol=icmp",
    ]

    private static func rules(_ text: String, _ direction: Direction) throws -> [String] {
        NftSelection(try #require(TrafficSelector(text: text)), direction).rules(
            chosen: #"fwd to "lo""#)
    }

    @Test("Rules are as recorded, both ways", .tags(.unit))
    func golden() throws {
        var text = ""
        for selector in Self.selectors {
            for direction in Direction.allCases {
                text += "# \(selector.isEmpty ? "everything" : selector) (\(direction.rawValue))\n"
                let selection = NftSelection(
                    try #require(TrafficSelector(text: selector)), direction)
                text += selection.accepting.map { "first: \($0)\n" }.joined()
                text += try Self.rules(selector, direction).map { $0 + "\n" }.joined()
            }
        }
        try Golden("nft-selections.txt").expect(text)
    }

    private static func guards(_ texts: [String], _ direction: Direction) throws -> [String] {
        NftSelection.guards(
            try texts.map { try #require(TrafficSelector(text: $0)) }, direction, verdict: "accept")
    }

    @Test("What guards several is what they choose together", .tags(.unit))
    func guards() throws {
        let hosts = try Self.guards(["to=192.0.2.1,port=80", "to=192.0.2.2,port=81"], .down)
        #expect(hosts.allSatisfy { $0.contains("{ 192.0.2.1, 192.0.2.2 }") || $0.contains("0x") })
        #expect(hosts.contains { $0.contains("th dport { 80, 81 }") })
        // Those of another kind have rules of their own, or all packets would have to pass.
        let mixed = try Self.guards(["port=80", "to=192.0.2.1", "port=81"], .down)
        #expect(mixed.contains("meta protocol ip ip saddr 192.0.2.1 accept"))
        #expect(mixed.contains { $0.contains("th dport { 80, 81 }") })
        #expect(!mixed.contains("meta protocol ip accept"))
        // What one of them spares must not come to later conditions either.
        let sparing = try Self.guards(["port=80;port=22", "port=81;port=22"], .down)
        #expect(sparing.count { $0.contains("th dport 22 ") && $0.contains("ip ") } == 1)
    }

    @Test(
        "The kernel takes every rule", .requiresNamespaces,
        .enabled(if: hasPrograms("nft"), "nft is not installed"))
    func kernel() async throws {
        let texts = U32SelectionTests.texts + Self.selectors
        let rules = try texts.flatMap { text in
            try Direction.allCases.flatMap { direction in
                let selection = NftSelection(try #require(TrafficSelector(text: text)), direction)
                return try selection.accepting + Self.rules(text, direction)
            }
        }
        let guards = try Direction.allCases.flatMap {
            try Self.guards(["to=10.0.0.0/8,port=1-9", "to=10.1.0.0/16,port=7;port=22"], $0)
        }
        try await withTemporaryDirectory { directory in
            let file = try directory.write(
                """
                table netdev t {
                \(NftSelection.sets.map { "set \($0) { \($1) }" }.joined(separator: "\n"))
                chain c {
                type filter hook ingress device "lo" priority 0
                \((rules + guards).joined(separator: "\n"))
                }
                }

                """, to: "rules")
            try await withNewNamespace { _ = try shell("nft -f \(file)") }
        }
    }
}
