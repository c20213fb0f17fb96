import Foundation
import LinkTesting
import Testing

/// Interfaces whose packets the packet engine gets by filters of tc, as on kernels where nftables
/// has no hooks on devices.
@Suite("Apply with the packet engine by filters", .requiresEngineFilters)
struct ApplyEngineFilterTests {
    @Test func `conditions, changes and clears, with other traffic left out`() async throws {
        try await TestNetwork.withEngine { network in
            let applied = try await network.applyEngine(by: .clsact, "LTE", "--protocol", "icmp")
            #expect(applied.exitCode == 0, "\(applied)")
            for address in [TestNetwork.serverIPv4, TestNetwork.serverIPv6] {
                #expect(try await network.shortestRoundTrip(to: address) >= 114.9)
            }
            let large = try await network.run(
                "ping", ["-c", "2", "-i", "0.2", "-s", "9000", TestNetwork.serverIPv4])
            #expect(large.standardOutput.contains(" 0% packet loss"), "\(large.standardOutput)")
            let other = try await network.probe(down: false, count: 20, rate: 100)
            #expect(other.received == 20 && other.median < 60, "\(other)")
            let changed = try await network.applyEngine(by: .clsact, "3G", "--replace")
            #expect(changed.exitCode == 0, "\(changed)")
            let probe = try await network.probe(down: true, count: 20, rate: 100)
            #expect(probe.received == 20 && probe.median >= 99, "\(probe)")
            #expect(try await network.filters().contains("pref 61181 bpf"))
        }
    }

    @Test func `lets traffic flow if engine and guardian are killed at once`() async throws {
        try await TestNetwork.withEngine { network in
            let applied = try await network.applyEngine(by: .clsact, "Edge")
            #expect(applied.exitCode == 0, "\(applied)")
            let processes = try await network.engineProcesses()
            let guardians = try await network.processes("linkcond-guard")
            #expect(processes.count == 1 && guardians.count == 1)
            for process in guardians + processes { kill(process, SIGKILL) }
            #expect(try await network.flows())
            #expect(try await network.filters().contains("pref 61181 bpf"))
            let status = try await network.engineStatus()
            #expect(status.problem?.contains("has died") == true, "\(status)")
        }
    }

    @Test func `filters of others are respected, and stay`() async throws {
        try await TestNetwork.with { network in
            func tc(_ words: String) async throws -> String {
                try await network.run("tc", words.split(separator: " ").map(String.init))
                    .standardOutput
            }
            _ = try await tc("qdisc add dev eth0 clsact")
            _ = try await tc(
                "filter add dev eth0 egress pref 7 protocol ip u32 match u32 0 0 at 64")
            let before = try await network.engineState()
            let refused = try await network.applyEngine(by: .clsact, "LTE")
            #expect(refused.exitCode == 69, "\(refused)")
            #expect(refused.standardError.contains("pref 7 u32"), "\(refused)")
            try await network.expectNothingLeft(since: before)
            let forced = try await network.applyEngine(by: .clsact, "LTE", "--force")
            #expect(forced.exitCode == 0, "\(forced)")
            let filters = try await network.filters()
            #expect(filters.contains("pref 7 u32") && filters.contains("pref 63181 u32"))
            try await network.mustRun("clear")
            try await network.expectNothingLeft(since: before)
        }
    }
}

extension TestNetwork {
    /// The filters for what leaves by the app's interface.
    func filters() async throws -> String {
        try await run("tc", ["filter", "show", "dev", Self.interface, "egress"]).standardOutput
    }

    /// Whether packets pass unconditioned, or do within the time that everything may take here.
    func flows() async throws -> Bool {
        for _ in 0..<20 {
            let ping = try await run("ping", ["-c", "1", "-W", "1", "-q", Self.serverIPv4])
            let time = ping.standardOutput.firstMatch(of: /= ([0-9.]+)\//)
            if let time, let milliseconds = Double(time.1), milliseconds < 30 { return true }
        }
        return false
    }
}
