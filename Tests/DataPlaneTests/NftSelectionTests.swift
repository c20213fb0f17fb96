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
                text += try Self.rules(selector, direction).map { $0 + "\n" }.joined()
            }
        }
        try Golden("nft-selections.txt").expect(text)
    }

    @Test(
        "The kernel takes every rule", .requiresNamespaces,
        .enabled(if: hasPrograms("nft"), "nft is not installed"))
    func kernel() async throws {
        let texts = U32SelectionTests.texts + Self.selectors
        let rules = try texts.flatMap { text in
            try Direction.allCases.flatMap { try Self.rules(text, $0) }
        }
        try await withTemporaryDirectory { directory in
            let file = try directory.write(
                """
                table netdev t {
                chain c {
                type filter hook ingress device "lo" priority 0
                \(rules.joined(separator: "\n"))
                }
                }

                """, to: "rules")
            try await withNewNamespace { _ = try shell("nft -f \(file)") }
        }
    }
}
