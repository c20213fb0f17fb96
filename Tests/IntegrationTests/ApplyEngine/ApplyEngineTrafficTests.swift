import Foundation
import LinkTesting
import Testing

/// What passes an interface that the packet engine conditions.
@Suite(
    "Traffic of apply with the packet engine", .requiresEngineHooks, .tags(.contrary, .anyKernel))
struct ApplyEngineTrafficTests {
    @Test(arguments: [TestNetwork.serverIPv4, TestNetwork.serverIPv6])
    func `fragments pass both ways`(address: String) async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("DSL")
            let ping = try await network.run(
                "ping", ["-c", "3", "-i", "0.2", "-s", "9000", address])
            #expect(ping.standardOutput.contains(" 0% packet loss"), "\(ping.standardOutput)")
        }
    }

    @Test func `one direction is conditioned alone`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE", "--direction", "down")
            let down = try await network.shortestRoundTrip(to: TestNetwork.serverIPv4)
            #expect(down >= 49.9 && down < 65 + 49)
            try await network.applyEngine("LTE", "--direction", "both", "--replace")
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv6) >= 114.9)
            try await network.applyEngine("LTE", "--direction", "up", "--replace")
            let up = try await network.shortestRoundTrip(to: TestNetwork.serverIPv4)
            #expect(up >= 64.9 && up < 114)
            let status = try await network.engineStatus()
            #expect(status.down == nil && status.up != nil)
        }
    }

    @Test func `the host does not see broadcasts twice`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("Wi-Fi")
            // Whatever the settings of the host: nothing filters by the way back.
            let script = """
                echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
                python3 - <<'EOF'
                import socket, subprocess, sys
                receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                receiver.bind(("", 6000))
                receiver.settimeout(2)
                send = ("import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
                        "s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1);"
                        "[s.sendto(b'%d' % i, ('192.0.2.255', 6000)) for i in range(5)]")
                subprocess.run(["nsenter", "--net=/run/netns/\(network.server)",
                                sys.executable, "-c", send], check=True)
                seen = []
                try:
                    while True:
                        seen.append(receiver.recv(100).decode())
                except TimeoutError:
                    print(",".join(seen))
                EOF
                """
            try await network.batch(
                "addr del 192.0.2.1/24 dev eth0\naddr add 192.0.2.1/24 brd + dev eth0",
                in: network.app)
            try await network.batch(
                "addr del 192.0.2.2/24 dev eth0\naddr add 192.0.2.2/24 brd + dev eth0",
                in: network.server)
            let result = try await network.run("sh", ["-c", script])
            #expect(result.standardOutput == "0,1,2,3,4\n", "\(result)")
        }
    }

    @Test func `status conforms to its schema, and tells backend and seed`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE", "--seed", "42")
            _ = try await network.shortestRoundTrip(to: TestNetwork.serverIPv4)
            let text = try await network.mustRun("status", "--json")
            try await JSONSchema("status").expectValid(text)
            let status = try await network.engineStatus()
            #expect(status.backend == "engine" && status.seed == 42 && status.faithful == true)
            #expect(status.up.map { $0.counters.packets >= 5 } == true)
            let table = try await network.run(
                "setpriv",
                ["--reuid=65534", "--regid=65534", "--clear-groups", try TestNetwork.program()]
                    + ["status"]
            ).standardOutput
            #expect(table.contains("engine") && table.contains("apple/LTE"))
            try await network.killEngine()
            try await JSONSchema("status").expectValid(
                try await network.mustRun("status", "--json"))
        }
    }

    @Test func `doctor says that apply works`() async throws {
        try await TestNetwork.with { network in
            let said = try await network.mustRun("doctor")
            #expect(said.contains("linkcond apply works on this host"))
        }
    }

    @Test func `a delivery trace plays`() async throws {
        try await withTemporaryDirectory { directory in
            // A packet of full size each 10 ms is 1.2 Mbit/s.
            let trace = try directory.write("10\n20\n", to: "slow.trace")
            try await TestNetwork.withEngine { network in
                let said = try await network.linkcond(
                    "apply", "baseline.yaml".absoluteFixture, "--verbose", "--set",
                    "down.trace=\(trace)")
                #expect(said.exitCode == 0 && said.standardError.contains("traces"))
                let probe = try await network.probe(down: true, count: 100, rate: 1000)
                #expect(probe.received == 100, "\(probe)")
                let status = try await network.engineStatus()
                #expect(status.backend == "engine")
            }
        }
    }
}
