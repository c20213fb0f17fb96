import Foundation
import LinkTesting
import Testing

/// Interfaces whose packets the packet engine gets by filters of tc, as on kernels where nftables
/// has no hooks on devices.
@Suite("Apply with the packet engine by filters", .requiresEngineFilters)
struct ApplyEngineFilterTests {
    @Test func `conditions, changes and clears, and leaves other traffic out`() async throws {
        try await TestNetwork.withEngine { network in
            let applied = try await network.applyEngine(
                by: .clsact, "LTE", "--to", TestNetwork.serverIPv6)
            #expect(applied.exitCode == 0, "\(applied)")
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv6) >= 114.9)
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) < 50)
            let changed = try await network.applyEngine(by: .clsact, "3G", "--replace")
            #expect(changed.exitCode == 0, "\(changed)")
            let large = try await network.run(
                "ping", ["-c", "2", "-i", "0.2", "-s", "9000", TestNetwork.serverIPv4])
            #expect(large.standardOutput.contains(" 0% packet loss"), "\(large.standardOutput)")
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 199.9)
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

    @Test(arguments: ["qdisc del dev eth0 clsact", "filter del dev eth0 egress"])
    func `tells that somebody has removed the filters, and makes them again`(
        removal: String
    ) async throws {
        try await TestNetwork.withEngine { network in
            let applied = try await network.applyEngine(by: .clsact, "LTE")
            #expect(applied.exitCode == 0, "\(applied)")
            #expect(try await network.engineStatus().problem == nil)
            _ = try await network.run("tc", removal.split(separator: " ").map(String.init))
            let problem = try await network.engineStatus().problem
            #expect(problem?.contains("has removed linkcond's filters") == true, "\(problem ?? "")")
            let again = try await network.applyEngine(by: .clsact, "LTE", "--replace")
            #expect(again.exitCode == 0, "\(again)")
            #expect(try await network.engineStatus().problem == nil)
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 114.9)
        }
    }

    @Test(
        .requiresTimeNamespaces,
        arguments: ["-$(awk '{ print int($1 / 2) }' /proc/uptime)", "100000"])
    func `conditions and lets go alike where the monotonic clock is another`(
        _ shift: String
    ) async throws {
        try await TestNetwork.withEngine { network in
            let applied = try await network.run(
                "sh",
                [
                    "-c", "exec unshare --time --monotonic \(shift) \"$@\"", "sh", "env",
                    "LINKCOND_ENGINE_HOOKS=clsact", try TestNetwork.program(), "apply",
                    "--backend", "engine", "LTE",
                ])
            #expect(applied.exitCode == 0, "\(applied)")
            #expect(try await network.shortestRoundTrip(to: TestNetwork.serverIPv4) >= 114.9)
            let guardians = try await network.processes("linkcond-guard")
            for process in try await guardians + network.engineProcesses() {
                kill(process, SIGKILL)
            }
            #expect(try await network.flows())
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
