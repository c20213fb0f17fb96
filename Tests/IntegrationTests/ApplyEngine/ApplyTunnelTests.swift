import Foundation
import LinkTesting
import Testing

/// An interface without addresses on the link layer, of which packets begin with the IP header.
@Suite(
    "Apply to a tunnel with the packet engine", .requiresEngineHooks, .requiresTunnels,
    .tags(.anyKernel))
struct ApplyTunnelTests {
    private static let near = ["10.66.0.1", "fd66::1"]
    private static let far = ["10.66.0.2", "fd66::2"]

    /// What kernels take an interface for (`ARPHRD_…`): the tunnels of WireGuard and OpenVPN, IP in
    /// IP, PPP.
    enum Hardware: Int, CaseIterable {
        case none = 0xfffe
        case tunnel = 768
        case ppp = 512
    }

    /// Runs `body` with a tunnel `t0` from the app's namespace to the server's.
    private static func withTunnel(
        of hardware: Hardware = .none,
        _ body: @Sendable (TestNetwork) async throws -> Void
    ) async throws {
        try await TestNetwork.withEngine { network in
            // Its end is that of its interfaces, which are not among what `clear` leaves.
            async let tunnel = runProcess(
                "python3",
                [
                    "tunnel.py".absoluteFixture, network.app, network.server, "120",
                    "\(hardware.rawValue)",
                ])
            do {
                try await connect(network)
                try await body(network)
                try await network.mustRun("clear")
            } catch {
                _ = try? await network.linkcond("clear")
                try? await network.batch("link del t0", in: network.app)
                _ = try? await tunnel
                throw error
            }
            try await network.batch("link del t0", in: network.app)
            _ = try await tunnel
        }
    }

    private static func connect(_ network: TestNetwork) async throws {
        for _ in 0..<500 {
            let result = try await runProcess(
                "ip", ["-n", network.server, "link", "show", "dev", "t0"])
            if result.exitCode == 0 { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        for (namespace, addresses) in [(network.app, near), (network.server, far)] {
            try await network.batch(
                """
                addr add \(addresses[0])/24 dev t0
                addr add \(addresses[1])/64 dev t0 nodad
                link set t0 addrgenmode none up
                """, in: namespace)
        }
    }

    @Test(arguments: Hardware.allCases)
    func `both ways are conditioned once, and large packets pass`(_ hardware: Hardware) async throws
    {
        try await Self.withTunnel(of: hardware) { network in
            try await network.applyEngine("LTE", "-i", "t0")
            for address in Self.far {
                #expect(try await network.shortestRoundTrip(to: address) >= 114.9, "\(address)")
                let large = try await network.run(
                    "ping", ["-c", "2", "-i", "0.2", "-s", "6000", "-q", address])
                #expect(large.exitCode == 0, "\(large.standardOutput)")
            }
            let status = try await network.engineStatus()
            // Of each large one there are five fragments.
            #expect(status.up?.counters.packets == 32 && status.down?.counters.packets == 32)
            #expect(status.interface == "t0")
        }
    }

    @Test(arguments: [true, false])
    func `TCP arrives as it was sent, and no faster than its way allows`(isDown: Bool) async throws
    {
        try await Self.withTunnel { network in
            try await network.applyEngine(
                "WiFi", "-i", "t0", "--set", "down.bandwidth=8 Mbit/s", "--set",
                "up.bandwidth=8 Mbit/s")
            for addresses in zip(Self.near, Self.far) {
                let result = try await runProcess(
                    "python3",
                    [
                        "transfer.py".absoluteFixture, isDown ? network.server : network.app,
                        isDown ? network.app : network.server,
                        isDown ? addresses.0 : addresses.1, "2000000",
                    ])
                let seconds = try #require(
                    Double(result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)),
                    "\(result.standardError)")
                // A queue of bytes at most may be on the way when the clock starts.
                #expect(seconds >= 1.8)
            }
        }
    }

    @Test func `it flows when the engine is killed`() async throws {
        try await Self.withTunnel { network in
            try await network.applyEngine("100%-loss", "-i", "t0", "--to", Self.far[0])
            #expect(try await network.run("ping", ["-c1", "-W1", Self.far[0]]).exitCode != 0)
            #expect(try await network.run("ping", ["-c1", Self.far[1]]).exitCode == 0)
            try await network.killEngine()
            // Its nft, and with it what leads packets to it, ends a moment later.
            #expect(try await network.run("ping", ["-c1", "-w20", Self.far[0]]).exitCode == 0)
        }
    }
}
