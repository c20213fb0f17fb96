import Foundation
import LinkTesting
import Testing

/// Frames of VLANs on an interface that is conditioned: the tag may stand in the frame, as raw
/// sockets send it, or beside it, where the kernel keeps it otherwise.
@Suite("Frames with a VLAN tag", .serialized, .requiresDataPlane)
struct TaggedFrameTests {
    @Test func `frames with the tag inside are conditioned, and keep it`() async throws {
        try await TestNetwork.with { network in
            try await Self.apply(network)
            // What arrives has its tag beside it, whoever sent it.
            try await Self.expectChoice(network, from: TestNetwork.interface, "all", chosen: "")
            try await Self.apply(network, "--port", "7000", "--replace")
            try await Self.expectChoice(
                network, from: TestNetwork.interface, "one port", chosen: " 7000")
            try await Self.apply(
                network, "--replace", "--to", "198.51.100.2", "--to", "2001:db8:10::2/127",
                "--protocol", "tcp")
            try await Self.expectChoice(
                network, from: TestNetwork.interface, "a protocol", chosen: " big")
        }
    }

    @Test func `frames with the tag beside them are conditioned, and keep it`() async throws {
        try await Self.withBridge { network in
            try await Self.expectChoice(network, from: "x0", "bridged", chosen: " 7000")
        }
    }

    /// For nftables a packet with any tag beside it has none.
    @Test(.requiresEngineHooks)
    func `frames of a provider's VLANs are, too`() async throws {
        try await Self.withBridge { network in
            try await Self.expectChoice(
                network, from: "x0", tag: "88a8", "of a provider", chosen: " 7000")
        }
    }

    /// The kernel takes the tag out where a frame arrives, and a bridge sends it on so.
    private static func withBridge(
        _ body: @Sendable (TestNetwork) async throws -> Void
    ) async throws {
        try await TestNetwork.with { network in
            try await network.batch(
                """
                link add br0 type bridge
                link add x0 type veth peer name x1
                link set br0 addrgenmode none up
                link set x0 addrgenmode none up
                link set x1 addrgenmode none master br0 up
                link set eth0 master br0
                """, in: network.app)
            try await apply(network, "--port", "7000")
            try await body(network)
        }
    }

    private static func apply(_ network: TestNetwork, _ options: String...) async throws {
        let result = try await network.linkcond(
            [
                "apply", "baseline.yaml".absoluteFixture, "-i", TestNetwork.interface, "--set",
                "up.delay=300 ms", "--set", "down.delay=500 ms",
            ] + options)
        #expect(result.exitCode == 0, "\(result.standardError)")
    }

    /// Expects that frames whose names hold a text take the delay of their direction, and that the
    /// others take none; all have to come as they were.
    private static func expectChoice(
        _ network: TestNetwork, from device: String, tag: String = "8100", _ occasion: String,
        chosen: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await runProcess(
            "python3", ["tagged.py".absoluteFixture, network.app, device, network.server, tag])
        let times = try JSONDecoder().decode(
            [String: Double?].self, from: Data(result.standardOutput.utf8))
        #expect(times.count == 16, "\(result)", sourceLocation: sourceLocation)
        for (name, time) in times where device != TestNetwork.interface || name.hasPrefix("up") {
            let delay: ClosedRange<Double> = name.hasPrefix("up") ? 300...1500 : 500...1500
            let isChosen = chosen.isEmpty || name.contains(chosen)
            #expect(
                time.map { isChosen ? delay.contains($0) : $0 < 250 } == true,
                "\(occasion): \(name) took \(String(describing: time)) ms",
                sourceLocation: sourceLocation)
        }
    }
}
