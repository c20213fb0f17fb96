import Foundation
import LinkTesting
import Testing

/// What programs measure over a loopback that the packet engine conditions.
@Suite("Apply to the loopback", .requiresEngineHooks, .tags(.anyKernel))
struct ApplyLoopbackTests {
    @Test func `each direction of a ping crosses it once, whichever own address it goes to`()
        async throws
    {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE", "-i", "lo")
            for address in ["127.0.0.1", "::1", TestNetwork.appIPv4, TestNetwork.appIPv6] {
                #expect(try await network.shortestRoundTrip(to: address) >= 114.9, "\(address)")
            }
            let status = try await network.engineStatus()
            #expect(status.interface == "lo" && status.backend == "engine")
            #expect(status.up?.delayMilliseconds == 65)
            // 6 questions and 6 answers each time (one before it is timed), and nothing twice.
            #expect(status.up?.counters.packets == 24 && status.down?.counters.packets == 24)
        }
    }

    @Test(arguments: [("127.0.0.1", 8000), ("::1", 0)])
    func `a download takes the bandwidth of down, and an upload that of up`(
        address: String, port: Int
    ) async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine(
                "WiFi", "-i", "lo", "--set", "down.bandwidth=8 Mbit/s", "--set",
                "up.bandwidth=1 Mbit/s", "--set", "down.delay=10 ms", "--set", "up.delay=15 ms")
            let report = try await network.talk(
                address, port: port, down: 3_000_000, up: 300_000)
            #expect(try #require(report.connect) >= 25)
            let share = (address == "::1" ? 1428.0 : 1448) / 1500
            for (rate, bandwidth) in [(report.down, 8e6), (report.up, 1e6)] {
                let ratio = try #require(rate) / (bandwidth * share)
                // A slow machine does not reach it, but no machine passes it.
                #expect((0.5...1.03).contains(ratio), "\(ratio) of \(bandwidth)")
            }
            // Of up to 20,000 bytes, each in one piece.
            #expect(report.answered == report.asked)
            #expect(try #require(report.shortest) >= 25)
        }
    }

    @Test func `large packets pass whole, with limits and without`() async throws {
        try await TestNetwork.withEngine { network in
            for settings in [["--set", "up.bandwidth=1 Gbit/s"], ["--replace"]] {
                try await network.mustRun(
                    ["apply", "High-Latency-DNS", "-i", "lo", "--backend", "engine"] + settings)
                for address in ["127.0.0.1", "::1"] {
                    let report = try await network.talk(
                        address, down: 20_000_000, up: 20_000_000)
                    #expect(report.down != nil && report.answered == report.asked)
                    let ping = try await network.run(
                        "ping", ["-c", "2", "-i", "0.1", "-s", "65000", "-q", address])
                    #expect(ping.exitCode == 0, "\(ping.standardOutput)")
                }
            }
        }
    }

    @Test func `one direction alone: the other one passes, and changes come at once`() async throws
    {
        try await TestNetwork.withEngine { network in
            func apply(_ direction: String, _ setting: String) async throws {
                try await network.applyEngine(
                    "WiFi", "-i", "lo", "--replace", "--direction", direction, "--set", setting)
            }
            try await apply("up", "up.loss=100%")
            let noUp = try await network.talk("127.0.0.1", patience: 0.3)
            #expect(noUp.served == 0 && noUp.answered == 0)
            #expect(try await network.engineStatus().down == nil)
            try await apply("down", "down.loss=100%")
            let noDown = try await network.talk("::1", patience: 0.3)
            #expect(noDown.served == noDown.asked && noDown.answered == 0)
            try await apply("down", "down.delay=10 ms")
            let slow = try await network.talk("127.0.0.1", down: 1_000_000, up: 1_000_000)
            #expect(slow.answered == slow.asked)
            try await apply("both", "up.delay=20 ms")
            let both = try await network.talk("::1", down: 1_000_000, up: 1_000_000)
            #expect(try #require(both.shortest) >= 21)
        }
    }

    @Test func `outgoing DNS is late by as much as the profile says`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine(
                "High-Latency-DNS", "-i", "lo", "--set", "dns.delay=600 ms")
            let asked = try await network.talk("127.0.0.1", port: 53)
            #expect(try #require(asked.shortest) >= 600)
            let other = try await network.talk("127.0.0.1", port: 5353)
            #expect(try #require(other.shortest) < 600)
        }
    }

    @Test func `the same seed loses the same packets`() async throws {
        try await TestNetwork.withEngine { network in
            var answered: [[Substring]] = []
            for seed in ["7", "7", "8"] {
                try await network.applyEngine(
                    "WiFi", "-i", "lo", "--set", "down.loss=30%", "--seed", seed)
                let command = AnsweredPings.command(to: "127.0.0.1")
                let ping = try await network.run(command[0], Array(command.dropFirst()))
                answered.append(AnsweredPings.numbers(in: ping.standardOutput))
                try await network.mustRun("clear")
            }
            #expect(answered[0].count == AnsweredPings.count)
            #expect(answered[0].last != "\(AnsweredPings.count)")
            #expect(answered[0] == answered[1] && answered[0] != answered[2])
        }
    }

    @Test func `damaged, duplicated and overtaking packets do no harm to others`() async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine(
                "WiFi", "-i", "lo", "--set", "up.corrupt=2%", "--set", "up.duplicate=20%",
                "--set", "down.reorder=2%", "--set", "down.delay=5 ms")
            for address in ["127.0.0.1", "::1"] {
                let report = try await network.talk(address, down: 300_000, up: 300_000)
                #expect(report.down != nil && report.up != nil)
            }
        }
    }
}

extension TestNetwork {
    /// Runs a client and a server in one program, which talk over the loopback.
    ///
    /// - Parameters:
    ///   - port: the server's; 0 lets the kernel choose.
    ///   - down: how many bytes of TCP the server sends, if any.
    ///   - up: how many bytes the client sends.
    ///   - patience: for how many seconds the client waits for an answer over UDP.
    func talk(
        _ address: String, port: Int = 5300, down: Int = 0, up: Int = 0, patience: Double = 20
    ) async throws -> LoopbackProgram.Report {
        let result = try await run(
            "python3",
            ["loopback.py".absoluteFixture, address, "\(port)", "\(down)", "\(up)", "\(patience)"])
        guard result.exitCode == 0 else { throw Failure("\(result.standardError)") }
        return try JSONDecoder().decode(
            LoopbackProgram.Report.self, from: Data(result.standardOutput.utf8))
    }

    /// Runs linkcond and fails unless it says that all is well.
    func mustRun(_ arguments: [String]) async throws {
        let result = try await linkcond(arguments)
        guard result.exitCode == 0 else { throw Failure("\(arguments): \(result.standardError)") }
    }
}
