import Foundation
import LinkTesting
import Testing

/// What a run says of a link that this machine cannot fill, and of one that nobody fills.
///
/// Alone: an emulation that others leave less than a part of the processor is not what is in the way.
@Suite(
    "Run: more bandwidth than the machine has", .serialized, .requiresNamespaces, .tags(.measure))
struct RunCapacityTests {
    /// Runs iperf3 for some seconds on one processor, over a link with as much bandwidth as nothing
    /// fills.
    private static func run(
        _ client: [String], _ files: RecordingFiles
    ) async throws -> ProcessResult {
        try files.directory.write(
            """
            name: fat
            summary: Much more than one processor carries
            down: { bandwidth: 40 Gbit/s }
            up: { bandwidth: 40 Gbit/s }
            """, to: "fat.yaml")
        let allowed = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            .firstMatch(of: /Cpus_allowed_list:\s*([0-9]+)/)
        let processor = try #require(allowed).1
        let arguments =
            [
                "-c", String(processor), try SandboxedRun.program(), "run",
                files.directory.path + "/fat.yaml", "--backend", "engine", "--uplink", "none",
                "--stats", files.stats, "--server", "iperf3 --server --one-off >/dev/null",
                "--server-ready", "5201", "--", "iperf3", "--client", "server.linkcond", "--time",
                "4",
            ] + client
        return try await runProcess("taskset", arguments, timeout: .seconds(60))
    }

    @Test func `a link that is filled as far as the processor goes is not what was asked for`()
        async throws
    {
        try await RecordingFiles.with { files in
            // One connection's small share of the sender's queue may leave the processor pauses.
            let result = try await Self.run(["--parallel", "8"], files)
            #expect(result.exitCode == 0, "\(result)")
            let statistics = try await files.statistics()
            #expect(statistics.faithful == false)
            #expect(statistics.up.counters.bitsPerSecond < 30_000_000_000)
            #expect(result.standardError.contains("this machine was too busy"), "\(result)")
            #expect(
                result.standardError.contains(/had no processor time left .* of 40 Gbit\/s/),
                "\(result)")
            #expect(statistics.flaw.map(result.standardError.contains) == true)
        }
    }

    @Test func `one over which an app sends a little is`() async throws {
        try await RecordingFiles.with { files in
            let result = try await Self.run(["--bitrate", "20M"], files)
            #expect(result.exitCode == 0, "\(result)")
            let text = try String(contentsOfFile: files.stats, encoding: .utf8)
            // Packets may be late on a busy machine.
            #expect(!text.contains("processor time"), "\(text)")
        }
    }
}
