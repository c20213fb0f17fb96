import LinkTesting
import Testing

/// Chains of nftables that other programs have at the interface, before those that give the packet
/// engine its packets, or before its filters.
@Suite("Chains of others at an interface", .requiresEngineHooks, .tags(.anyKernel))
struct ForeignChainTests {
    private static func chain(_ hook: String, _ priority: Int, _ rule: String) -> String {
        """
        add table netdev other
        add chain netdev other \(hook) { type filter hook \(hook) device "eth0" priority \(priority); }
        add rule netdev other \(hook) \(rule)
        """
    }

    @Test(arguments: EngineHooks.available)
    func `a chain that sees packets before is named, and --force goes on`(
        _ hooks: EngineHooks
    ) async throws {
        try await TestNetwork.with { network in
            let text = Self.chain("egress", -200, "udp dport 9 drop")
            _ = try await network.run("nft", [text])
            let before = try await network.engineState()
            let refused = try await network.applyEngine(by: hooks, "LTE")
            #expect(refused.exitCode == 69, "\(refused)")
            #expect(
                refused.standardError.contains(
                    "on its way up (nftables chain other egress, priority -200)"), "\(refused)")
            try await network.expectNothingLeft(since: before)
            let forced = try await network.applyEngine(by: hooks, "LTE", "--force")
            #expect(forced.exitCode == 0, "\(forced)")
            // Those that come later are no reason to stop, nor is one's own chain.
            let changed = try await network.applyEngine(by: hooks, "3G", "--replace")
            #expect(changed.exitCode == 0, "\(changed)")
            try await network.mustRun("clear")
        }
    }

    @Test(arguments: ["egress", "ingress"])
    func `a chain that sees packets later, or does nothing, is none`(_ hook: String) async throws {
        try await TestNetwork.with { network in
            let words = """
                \(Self.chain(hook, 10, "udp dport 9 drop"))
                add chain netdev other elsewhere { type filter hook egress device "lo" priority -9; }
                add rule netdev other elsewhere udp dport 9 drop
                add chain netdev other idle { type filter hook ingress device "eth0" priority -9; }
                """
            _ = try await network.run("nft", [words])
            let applied = try await network.applyEngine(by: .nftables, "LTE")
            #expect(applied.exitCode == 0, "\(applied)")
            try await network.mustRun("clear")
        }
    }

    @Test func `filters of tc see what comes before nftables do`() async throws {
        try await TestNetwork.with { network in
            _ = try await network.run("tc", ["qdisc", "add", "dev", "eth0", "clsact"])
            _ = try await network.run(
                "tc",
                "filter add dev eth0 ingress pref 7 protocol ip u32 match u32 0 0 at 64"
                    .split(separator: " ").map(String.init))
            let refused = try await network.applyEngine(by: .nftables, "LTE")
            #expect(refused.exitCode == 69, "\(refused)")
            #expect(refused.standardError.contains("on its way down (pref 7 u32)"), "\(refused)")
            let up = try await network.applyEngine(by: .nftables, "LTE", "--direction", "up")
            #expect(up.exitCode == 0, "\(up)")
            try await network.mustRun("clear")
        }
    }
}
