import Foundation
import LinkTesting
import Testing

/// Super-packets that the kernel cannot describe to the packet engine: those in tunnels, and before Linux
/// 6.2 those of datagrams, as programs with QUIC send them (`UDP_SEGMENT`).
@Suite("Super-packets of all kinds", .serialized, .requiresDataPlane) struct SuperPacketTests {
    private static let program = "datagram_trains.py".absoluteFixture
    private static let all = "there 60 of 1000; back 60 of 1000\n"

    @Test func `datagrams cross an interface with conditions, either way`() async throws {
        try await TestNetwork.with { network in
            async let serving = runProcess(
                "ip", ["netns", "exec", network.server, "python3", Self.program, "serve", "2"])
            try await network.mustRun("apply", "LTE", "--backend", "engine")
            let result = try await network.run(
                "python3",
                [Self.program, "ask", TestNetwork.serverIPv4, TestNetwork.serverIPv6])
            #expect(result.standardOutput == Self.all + Self.all, "\(result)")
            #expect(try await serving.exitCode == 0)
        }
    }

    @Test(arguments: [[], ["--loopback"]])
    func `datagrams cross a run, either way`(options: [String]) async throws {
        try await TestNetwork.with { network in
            let host = options.isEmpty ? "server.linkcond" : "127.0.0.1"
            let server = "python3 \(Self.program) serve 1"
            let command = options.isEmpty ? "" : "\(server) & "
            let result = try await network.linkcond(
                ["run", "LTE", "--backend", "engine"] + options
                    + [
                        "--uplink", "none", "--server", server, "--", "sh", "-c",
                        command + "python3 \(Self.program) ask \(host)",
                    ])
            #expect(result.standardOutput == Self.all, "\(result)")
        }
    }

    @Test func `TCP is as fast in a tunnel, either way`() async throws {
        try await TestNetwork.with { network in
            for (namespace, own, other) in [
                (network.app, TestNetwork.appIPv4, TestNetwork.serverIPv4),
                (network.server, TestNetwork.serverIPv4, TestNetwork.appIPv4),
            ] {
                try await network.batch(
                    """
                    link add t0 type vxlan id 7 local \(own) remote \(other) dstport 4789 dev eth0
                    addr add \(Self.inTunnel(own))/24 dev t0
                    link set t0 up
                    """, in: namespace)
            }
            try await network.mustRun(
                "apply", "baseline.yaml".absoluteFixture, "--backend", "engine", "--set",
                "down.bandwidth=20 Mbit/s", "--set", "up.bandwidth=20 Mbit/s", "--set",
                "down.delay=20 ms", "--set", "up.delay=20 ms")
            for (sender, receiver, address) in [
                (network.app, network.server, TestNetwork.serverIPv4),
                (network.server, network.app, TestNetwork.appIPv4),
            ] {
                let direct = try await Self.seconds(from: sender, to: receiver, address)
                let tunnelled = try await Self.seconds(
                    from: sender, to: receiver, Self.inTunnel(address))
                // Many times as long if all but what is retransmitted by itself is lost.
                #expect(tunnelled < 2 * direct)
            }
        }
    }

    private static func inTunnel(_ address: String) -> String {
        "198.51.100." + address.split(separator: ".").suffix(1).joined()
    }

    private static func seconds(
        from sender: String, to receiver: String, _ address: String
    ) async throws -> Double {
        let result = try await runProcess(
            "python3", ["transfer.py".absoluteFixture, sender, receiver, address, "1000000"])
        return try #require(
            Double(result.standardOutput.trimmingCharacters(in: .newlines)), "\(result)")
    }
}
