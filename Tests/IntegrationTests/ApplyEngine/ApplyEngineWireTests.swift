import Foundation
import LinkTesting
import Testing

/// Somebody takes away, or switches off, what leads packets to the engine.
@Suite("Lost wires of the packet engine", .requiresEngineHooks, .tags(.anyKernel))
struct ApplyEngineWireTests {
    /// What is done, and the name of the wire.
    private static let losses: [(change: String, wire: String)] = [
        ("link del lcu100", "lcu100"), ("link del lcd100e", "lcd100"),
        ("link set lcu100 down", "lcu100"),
        ("link set lcd100e down", "lcd100"),
    ]

    @Test(arguments: EngineHooks.available, losses)
    func `traffic flows, status says what is missing, and --replace repairs it`(
        _ hooks: EngineHooks, _ loss: (change: String, wire: String)
    ) async throws {
        try await TestNetwork.withEngine { network in
            #expect(try await network.applyEngine(by: hooks, "LTE").exitCode == 0)
            try await network.batch(loss.change, in: network.app)
            try await network.wait { try await network.engineStatus().problem != nil }
            let status = try await network.engineStatus()
            #expect(status.problem?.contains(loss.wire) == true, "\(status)")
            #expect(status.problem?.contains("--replace") == true, "\(status)")
            let isUp = loss.wire == "lcu100"
            #expect((status.up == nil) == isUp && (status.down == nil) == !isUp)
            // The other way is conditioned still: 50 ms down, 65 ms up.
            let time = try await network.shortestRoundTrip(to: TestNetwork.serverIPv4)
            #expect(time >= (isUp ? 49.9 : 64.9) && time < 110)

            try await network.mustRun("apply", "LTE", "--replace")
            let repaired = try await network.engineStatus()
            #expect(repaired.defect == nil, "\(repaired)")
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 114.9)

            try await network.batch("link del lcu100\nlink del lcd100", in: network.app)
            #expect(try await network.flows())
            let both = try await network.engineStatus()
            #expect(both.up == nil && both.down == nil && both.profile == "apple/LTE")
            #expect(try await network.linkcond("clear").standardError.contains("eth0: cleared"))
        }
    }

    /// Such as a program that orders interfaces by its own names.
    @Test(arguments: [
        "link set lcu100 group default\nlink set lcd100 group default\nlink set lcd100e group 3",
        "link set lcd100 down\nlink set lcd100 name other0",
    ])
    func `wires that others have renamed or regrouped are removed all the same`(
        change: String
    ) async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            try await network.batch(change, in: network.app)
            try await network.mustRun("clear")
            try await network.applyEngine("LTE")
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 114.9)
        }
    }

    /// Older kernels remove a chain with the interface of its hook.
    @Test(.enabled(if: EngineHooks.available.contains(.nftables), "nftables has no netdev hooks"))
    func `a chain that is gone is no obstacle to further changes`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine(by: .nftables, "LTE", "--name", "web", "--port", "80")
            try await network.wait {
                let rules = try await network.askOwner(
                    "delete chain netdev linkcond_100 engine_got0")
                return !rules.contains("engine_got0")
            }
            try await network.mustRun("apply", "LTE", "--name", "echo", "--protocol", "icmp")
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 114.9)
            try await network.mustRun("clear", "--name", "web")
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 114.9)
            try await network.mustRun("clear")
            #expect(try await network.flows())
        }
    }

    /// They change some at a time.
    @Test(.enabled(if: EngineHooks.available.contains(.nftables), "nftables has no netdev hooks"))
    func `of many interfaces all are conditioned or none`() async throws {
        try await TestNetwork.withEngine { network in
            let indices = 201...217
            try await network.batch(
                indices.map { "link add x\($0) index \($0) type veth\nlink set x\($0) up" }
                    .joined(separator: "\n"), in: network.app)
            try await network.applyEngine(by: .nftables, "LTE")
            let before = try await network.ruleset()
            // The last one has a chain in the way.
            try await network.wait {
                let rules = try await network.askOwner(
                    "add table netdev linkcond_217 { flags owner; };"
                        + "add chain netdev linkcond_217 engine_sent0 "
                        + "{ type filter hook ingress device x217 priority 5; }")
                return rules.contains("x217")
            }
            let interfaces = indices.flatMap { ["--interface", "x\($0)"] }
            let apply = ["apply", "3G", "--backend", "engine"] + interfaces
            let refused = try await network.linkcond(apply)
            #expect(refused.exitCode != 0, "\(refused)")
            let after = try await network.askOwner("delete table netdev linkcond_217")
            #expect(after == before)
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 114.9)

            #expect(try await network.linkcond(apply).exitCode == 0)
            let all = try await network.ruleset()
            for index in indices { #expect(all.contains("linkcond_\(index) {")) }
            try await network.mustRun("clear")
            #expect(try await network.ruleset().isEmpty)
            try await network.batch(
                indices.map { "link del x\($0)" }.joined(separator: "\n"), in: network.app)
        }
    }
}

extension TestNetwork {
    /// Without what is in sets, which is the time that it has left.
    fileprivate func ruleset() async throws -> String {
        try await run("sh", ["-c", "nft list ruleset | grep -v 'elements = '"]).standardOutput
    }

    /// Has the process that owns the tables change them, which nobody else may, and returns what
    /// they are then.
    fileprivate func askOwner(_ commands: String) async throws -> String {
        let ask = "echo '\(commands)' > /proc/$(pgrep -x nft --ns $$ --nslist net)/fd/0"
        #expect(try await run("sh", ["-c", ask]).exitCode == 0)
        return try await ruleset()
    }
}
