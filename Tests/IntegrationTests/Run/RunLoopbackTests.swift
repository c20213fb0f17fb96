import LinkTesting
import Testing

/// What programs of one command measure when they talk to each other over the loopback.
@Suite("Run: loopback", .requiresNamespaces, .tags(.contrary, .anyKernel))
struct RunLoopbackTests {
    private static func profile(_ settings: String...) -> [String] {
        ["WiFi"] + settings.flatMap { ["--set", $0] }
    }

    private static func shortestPing(_ output: String) throws -> Double {
        let match = try #require(output.firstMatch(of: /= ([0-9.]+)\//), "\(output)")
        return try #require(Double(match.1))
    }

    @Test(arguments: Caller.allCases)
    func `a ping takes a round trip, whichever own address it goes to`(
        caller: Caller
    ) async throws {
        for address in ["127.0.0.1", "::1", "198.18.0.2", "fd6c:696e:6b63::2"] {
            let output = try await SandboxedRun(
                "LTE", "--loopback", "--uplink", "none", "--",
                "ping", "-c", "4", "-i", "0.2", "-q", address, by: caller
            ).output()
            let shortest = try Self.shortestPing(output)
            // Conditioned once, and not each time that it passes something.
            #expect((110...200).contains(shortest), "\(address)")
        }
    }

    @Test(arguments: [("127.0.0.1", Caller.root), ("::1", .ordinaryUser)], [8000, 0])
    func `a download takes the bandwidth of down, and an upload that of up`(
        place: (address: String, caller: Caller), port: Int
    ) async throws {
        let report = try await LoopbackProgram.report(
            Self.profile(
                "down.bandwidth=8 Mbit/s", "up.bandwidth=1 Mbit/s", "down.delay=10 ms",
                "up.delay=15 ms"), place.address, port: port, down: 3_000_000, up: 300_000,
            by: place.caller)
        let ports = (server: report.serverPort ?? 0, client: report.clientPort ?? 0)
        #expect(ports.client >= 32_768 && ports.client.isMultiple(of: 2))
        #expect(port != 0 || !ports.server.isMultiple(of: 2))
        #expect(try #require(report.connect) >= 25)
        let share = (place.address == "::1" ? 1428.0 : 1448) / 1500
        for (rate, bandwidth) in [(report.down, 8e6), (report.up, 1e6)] {
            let ratio = try #require(rate) / (bandwidth * share)
            // A slow machine does not reach it, but no machine passes it.
            #expect((0.5...1.03).contains(ratio), "\(ratio) of \(bandwidth)")
        }
        // Those of more than 1472 bytes are fragments on the way.
        #expect(report.answered == report.asked)
        #expect(try #require(report.shortest) >= 25)
    }

    @Test func `what is lost on the way up is not served, on the way down not answered`()
        async throws
    {
        let patience = Duration.milliseconds(300)
        let noUp = try await LoopbackProgram.report(
            Self.profile("up.loss=100%"), "127.0.0.1", port: 5300, patience: patience)
        #expect(noUp.served == 0 && noUp.answered == 0)
        let noDown = try await LoopbackProgram.report(
            Self.profile("down.loss=100%"), "::1", port: 5300, patience: patience)
        #expect(noDown.served == noDown.asked && noDown.answered == 0)
    }

    @Test func `a name server on the loopback answers as late as the profile says`() async throws {
        let profile = Self.profile("dns.delay=150 ms", "up.delay=10 ms", "down.delay=10 ms")
        let asked = try await LoopbackProgram.report(profile, "127.0.0.1", port: 53)
        #expect(try #require(asked.shortest) >= 170)
        let other = try await LoopbackProgram.report(profile, "127.0.0.1", port: 5353)
        #expect((20...169).contains(try #require(other.shortest)))
    }

    @Test(arguments: ["engine", "kernel"])
    func `the way to the far side is conditioned once, as without it`(
        backend: String
    ) async throws {
        guard try Backends.serves(backend) else { return }
        let output = try await SandboxedRun(
            "LTE", "--loopback", "--backend", backend, "--uplink", "none", "--",
            "sh", "-c", "for i in 198.18.0.1 127.0.0.1; do ping -c 4 -i 0.2 -q $i; done"
        ).output()
        let shortest = output.matches(of: /= ([0-9.]+)\//).compactMap { Double($0.1) }
        #expect(shortest.count == 2)
        #expect(shortest.allSatisfy { (110...200).contains($0) }, "\(output)")
    }

    @Test func `without the option the loopback is as fast as ever`() async throws {
        let output = try await SandboxedRun(
            "LTE", "--uplink", "none", "--", "ping", "-c", "4", "-i", "0.1", "-q", "127.0.0.1"
        ).output()
        #expect(try Self.shortestPing(output) < 100)
    }

    @Test func `the same seed loses the same packets`() async throws {
        func answered(seed: UInt64) async throws -> [Substring] {
            let output = try await SandboxedRun(
                arguments: Self.profile("down.loss=30%", "up.delay=1 ms", "down.delay=1 ms")
                    + ["--seed", "\(seed)", "--loopback", "--uplink", "none", "--"]
                    + AnsweredPings.command(to: "127.0.0.1")
            ).output()
            return AnsweredPings.numbers(in: output)
        }
        let first = try await answered(seed: 7)
        #expect(first.count == AnsweredPings.count && first.last != "\(AnsweredPings.count)")
        #expect(try await answered(seed: 7) == first)
        #expect(try await answered(seed: 8) != first)
    }
}
