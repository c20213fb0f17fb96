import Foundation
import LinkTesting
import Testing

/// Whatever goes wrong while the engine applies conditions, they can be applied and cleared
/// afterwards, and what is said of them is so.
///
/// With `LINKCOND_KILLS` there are so many kills at random moments, for a long campaign.
@Suite(
    "Kills and lost messages of the packet engine", .serialized, .requiresEngineHooks,
    .tags(.anyKernel))
struct ApplyEngineKillTests {
    /// What `engine_kills.py` found.
    private struct Campaign: Decodable {
        let met: Int
        let faults: [String]
    }

    private static func campaign(
        _ hooks: EngineHooks, _ words: String..., timeout: Duration = .seconds(280)
    ) async throws -> Campaign {
        let script = "engine_kills.py".absoluteFixture
        let result = try await runProcess(
            "unshare",
            ["--net", "python3", script, try TestNetwork.program(), hooks.rawValue] + words,
            timeout: timeout)
        try #require(result.exitCode == 0, "\(result.standardError)")
        return try JSONDecoder().decode(Campaign.self, from: Data(result.standardOutput.utf8))
    }

    @Test(arguments: EngineHooks.available)
    func `killed at any moment, it leaves nothing in the way`(_ hooks: EngineHooks) async throws {
        let wish = ProcessInfo.processInfo.environment["LINKCOND_KILLS"].flatMap { Int($0) }
        let count = wish ?? 12
        let campaign = try await Self.campaign(
            hooks, "random", "\(count)", timeout: .seconds(120 + 10 * count))
        #expect(campaign.faults == [])
        #expect(campaign.met * 4 > count, "some have to be killed: \(campaign)")
    }

    @Test(
        .enabled(if: hasPrograms("strace"), "strace is not installed"),
        arguments: EngineHooks.available)
    func `killed before any message to the kernel, it leaves nothing in the way`(
        _ hooks: EngineHooks
    ) async throws {
        let campaign = try await Self.campaign(hooks, "calls", "sendto", "signal=SIGKILL", "24")
        #expect(campaign.faults == [])
        #expect(campaign.met > 8, "\(campaign)")
    }

    // By filters of tc, since nft has messages of its own that would be lost.
    @Test(
        .requiresEngineFilters, .enabled(if: hasPrograms("strace"), "strace is not installed"))
    func `an answer that is lost is asked for again, and nothing is done twice`() async throws {
        let campaign = try await Self.campaign(.clsact, "calls", "sendmsg", "error=EPIPE", "8")
        #expect(campaign.faults == [])
        #expect(campaign.met > 4, "\(campaign)")
    }

    @Test(.enabled(if: hasPrograms("strace"), "strace is not installed"), arguments: 1...4)
    func `a question that does not get through is asked again`(number: Int) async throws {
        try await TestNetwork.withEngine { network in
            try await network.applyEngine("LTE")
            let fault = ["-e", "trace=sendmsg", "-e", "inject=sendmsg:error=EPIPE:when=\(number)"]
            let clear = ["strace", "-f", "-qq", "-o", "/dev/null"] + fault
            let result = try await network.run(
                clear[0], clear.dropFirst() + [try TestNetwork.program(), "clear"])
            #expect(result.exitCode == 0 && result.standardError.contains("eth0"), "\(result)")
            #expect(try await network.status().conditioned.isEmpty)
        }
    }

    @Test func `wires that say nothing of themselves are known by group and name`() async throws {
        try await TestNetwork.withEngine { network in
            let wire = "group 7181 type veth peer name lcu100e group 7181"
            try await network.batch("link add lcu100 \(wire)", in: network.app)
            let status = try await network.engineStatus()
            #expect(status.interface == "eth0" && status.problem?.contains("has died") == true)
            try await network.applyEngine("LTE")
            #expect(try await network.engineStatus().defect == nil)
            let time = try await network.shortestRoundTrip(to: TestNetwork.serverIPv4)
            #expect(time >= 114.9)
            try await network.mustRun("clear")
            try await network.batch("link add lcu100 \(wire)", in: network.app)
            #expect(try await network.linkcond("clear").standardError.contains("eth0: cleared"))
            let links = try await network.run("ip", ["-o", "link"]).standardOutput
            #expect(!links.contains("lcu100"))
        }
    }
}
