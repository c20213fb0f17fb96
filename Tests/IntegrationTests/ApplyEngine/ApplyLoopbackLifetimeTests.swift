import Foundation
import LinkTesting
import Testing

/// A host whose loopback the packet engine conditions: what of it changes, and what never does.
@Suite("Apply to the loopback: what the host keeps", .requiresEngineHooks, .tags(.anyKernel))
struct ApplyLoopbackLifetimeTests {
    /// All settings of the network, and the loopback itself; not the engine's wires.
    private static func settings(_ network: TestNetwork) async throws -> String {
        let script = """
            ip -o -d link show dev lo; ip -o addr show dev lo
            ip route show table all | grep -v ' dev lc'
            grep -r '' /proc/sys/net/ipv[46]/conf/{all,default,lo,eth0} 2> /dev/null
            """
        return try await network.run("bash", ["-c", script]).standardOutput
    }

    @Test func `no setting of the host changes, neither meanwhile nor afterwards`() async throws {
        try await TestNetwork.withEngine { network in
            let before = try await Self.settings(network)
            #expect(before.contains("accept_local") && before.contains("LOOPBACK"))
            try await network.applyEngine("LTE", "-i", "lo")
            #expect(try await Self.settings(network) == before)
            try await network.mustRun("clear")
            #expect(try await Self.settings(network) == before)
        }
    }

    @Test func `traffic flows when the engine is killed, status says so, and clear mends the rest`()
        async throws
    {
        try await TestNetwork.withEngine { network in
            let before = try await Self.settings(network)
            let state = try await network.engineState()
            try await network.applyEngine("100%-loss", "-i", "lo")
            async let flood = network.run(
                "ping", ["-c", "3000", "-i", "0.002", "-q", "127.0.0.1"])
            try await Task.sleep(for: .milliseconds(500))
            try await network.killEngine()
            let answered = try await network.talk("127.0.0.1", down: 1_000_000, up: 1_000_000)
            #expect(answered.answered == answered.asked)
            // Most of the flood came after that.
            let pings = try await flood.standardOutput
            let received = try #require(pings.firstMatch(of: /([0-9]+) received/))
            #expect(try #require(Int(received.1)) > 0, "\(pings)")
            let status = try await network.engineStatus()
            #expect(status.interface == "lo" && status.problem?.contains("has died") == true)
            #expect(try await Self.settings(network) == before)
            try await network.mustRun("clear")
            try await network.expectNothingLeft(since: state)
        }
    }

    @Test func `conditions are changed in place`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE", "-i", "lo")
            let engine = try await network.engineProcesses()
            try await network.applyEngine("3G", "-i", "lo", "--replace")
            #expect(try await network.engineProcesses() == engine)
            #expect(try await network.shortestRoundTrip(to: "::1") >= 199.9)
            let again = try await network.linkcond("apply", "LTE", "-i", "lo")
            #expect(again.exitCode == 64 && again.standardError.contains("--replace"))
        }
    }

    @Test func `selectors leave the rest of the loopback alone`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("100%-loss", "-i", "lo", "--port", "5300", "--name", "a")
            try await network.applyEngine(
                "100%-loss", "-i", "lo", "--to", "127.0.0.9", "--to", "::1", "--protocol", "udp",
                "--except", "port=5400", "--name", "b")
            for (address, port, passes) in [
                ("127.0.0.1", 5300, false), ("127.0.0.1", 5301, true), ("127.0.0.9", 5301, false),
                ("127.0.0.9", 5400, true), ("::1", 5300, false), ("::1", 5301, false),
                ("::1", 5400, true), (TestNetwork.appIPv6, 5301, true),
            ] {
                let report = try await network.talk(
                    address, port: port, patience: passes ? 20 : 0.2)
                #expect(report.answered == (passes ? report.asked : 0), "\(address) \(port)")
            }
            try await network.mustRun("clear", "--name", "a")
            let freed = try await network.talk("127.0.0.1", port: 5300)
            #expect(freed.answered == freed.asked)
            #expect(try await network.status().conditioned.map(\.name) == ["b"])
        }
    }

    @Test func `what is redirected on the way to the loopback arrives as it did`() async throws {
        try await TestNetwork.withEngine { network in
            // Accepts no more than firewalls do, which take the loopback for granted.
            let rules = """
                add table ip lctest
                add chain ip lctest out { type nat hook output priority -100; }
                add rule ip lctest out udp dport 5299 redirect to :5300
                add chain ip lctest in { type filter hook input priority 0; policy drop; }
                add rule ip lctest in iif lo ct state != invalid accept
                """
            let added = try await network.run("sh", ["-c", "echo '\(rules)' | nft -f -"])
            guard added.exitCode == 0 else { return }
            try await network.applyEngine("WiFi", "-i", "lo")
            let program = """
                import socket
                server = socket.socket(type=socket.SOCK_DGRAM); server.bind(("127.0.0.1", 5300))
                client = socket.socket(type=socket.SOCK_DGRAM); client.settimeout(20)
                client.connect(("127.0.0.1", 5299)); client.send(b"question")
                server.sendto(*reversed((server.recvfrom(99)[1], b"answer")))
                print(client.recv(99).decode())
                """
            let result = try await network.run("python3", ["-c", program])
            #expect(result.standardOutput == "answer\n", "\(result.standardError)")
            _ = try await network.run("nft", ["delete", "table", "ip", "lctest"])
        }
    }

    @Test func `all interfaces are without the loopback, unless it is named`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE", "--all-interfaces")
            #expect(try await network.status().conditioned.map(\.interface) == ["eth0"])
            try await network.mustRun("clear")
            try await network.applyEngine("LTE", "--all-interfaces", "-i", "lo")
            #expect(try await network.status().conditioned.map(\.interface) == ["eth0", "lo"])
            for address in ["127.0.0.1", TestNetwork.serverIPv4] {
                #expect(try await network.shortestRoundTrip(to: address) >= 114.9)
            }
        }
    }

    @Test func `the engine is chosen by itself, because it tells who asks from who answers`()
        async throws
    {
        try await TestNetwork.withEngine { network in
            let applied = try await network.linkcond("apply", "LTE", "-i", "lo", "-v")
            #expect(applied.exitCode == 0, "\(applied.standardError)")
            #expect(applied.standardError.contains("who asks and who answers"))
        }
    }

    @Test func `a dry run prints commands that work, and does nothing`() async throws {
        try await TestNetwork.with { network in
            let before = try await network.engineState()
            let script = try await network.mustRun("apply", "LTE", "-i", "lo", "--dry-run")
            #expect(try await network.engineState() == before)
            let shared = script.replacing(" { flags owner; }", with: "")
                .replacing("nft --interactive", with: "nft -f -")
            let result = try await network.run("sh", ["-ec", shared])
            #expect(result.exitCode == 0, "\(result)")
            #expect(try await network.engineState().contains("notrack"))
            try await network.mustRun("clear")
        }
    }
}
