import DataPlane
import Foundation
import KernelPlane
import LinkTesting
import Testing

/// Which data plane it is where there are both, and what else is said of the choice.
@Suite("Choice of a data plane", .requiresKernel(.netem))
struct PlaneChoiceTests {
    @Test func `jitter is the packet engine's for all verbs alike`() async throws {
        try await TestNetwork.with { network in
            let jitter = ["LTE", "--set", "down.jitter=5 ms"]
            let plain = try await network.linkcond("apply", "LTE", "--dry-run").standardOutput
            #expect(plain.contains("netem"), "\(plain)")
            let applied = try await network.linkcond(["apply", "--dry-run"] + jitter)
            #expect(!applied.standardOutput.contains("netem"), "\(applied)")
            let run = try await network.linkcond(
                ["run", "-v", "--uplink", "none"] + jitter + ["--", "true"])
            #expect(run.standardError.contains("packet engine: netem's jitter grows"), "\(run)")
            let kernel = try await network.linkcond(
                ["apply", "--dry-run", "--backend", "kernel"] + jitter)
            #expect(kernel.standardOutput.contains("netem"), "\(kernel)")
        }
    }

    @Test(arguments: ["up.aqm=codel", "up.duplicate=1%"])
    func `what qdiscs do less exactly is the packet engine's`(_ setting: String) async throws {
        try await TestNetwork.with { network in
            let lossy = ["3G", "--set", "up.loss=10%", "--set", setting]
            let run = try await network.linkcond(
                ["run", "-v", "--uplink", "none"] + lossy + ["--", "true"])
            #expect(run.standardError.contains("packet engine: "), "\(run)")
            let kernel = try await network.linkcond(
                ["apply", "--dry-run", "--backend", "kernel"] + lossy)
            #expect(kernel.standardOutput.contains("netem"), "\(kernel)")
            #expect(!kernel.standardError.contains("would fail"), "\(kernel)")
        }
    }

    @Test func `an emulator of another program is told of`() async throws {
        try await TestNetwork.with { network in
            try await network.mustRun("apply", "LTE")
            let alone = try await network.linkcond("apply", "3G", "--replace")
            #expect(!alone.standardError.contains("another program"), "\(alone)")
            _ = try await network.run(
                "tc", ["qdisc", "add", "dev", "eth0", "root", "netem", "delay", "10ms"])
            let beside = try await network.linkcond("apply", "LTE", "--replace")
            #expect(beside.exitCode == 0, "\(beside)")
            #expect(
                beside.standardError.contains("eth0: has a qdisc of another program, netem"),
                "\(beside)")
            try await network.mustRun("clear")
        }
    }
}
