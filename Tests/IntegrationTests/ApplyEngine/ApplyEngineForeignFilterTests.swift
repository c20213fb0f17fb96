import Foundation
import LinkTesting
import Testing

/// The packet engine's filters beside those of other programs. The kernel of the lab would fare no
/// differently.
@Suite(
    "Filters of the packet engine and of others", .requiresEngineHooks, .requiresEngineFilters,
    .tags(.anyKernel))
struct ApplyEngineForeignFilterTests {
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

    @Test func `the kernel's data plane minds nothing that an engine left which was killed`()
        async throws
    {
        try await TestNetwork.withEngine { network in
            #expect(try await network.applyEngine(by: .clsact, "LTE").exitCode == 0)
            let engine = try await network.engineProcesses()
            for process in try await network.processes("linkcond-guard") + engine {
                kill(process, SIGKILL)
            }
            #expect(try await network.flows())
            let kernel = try await network.linkcond("apply", "LTE", "--backend", "kernel")
            // Where there is no netem, that is what it says.
            #expect(!kernel.standardError.contains("other programs have filters"), "\(kernel)")
            #expect(try await !network.filters().contains("linkcond"))
        }
    }
}
