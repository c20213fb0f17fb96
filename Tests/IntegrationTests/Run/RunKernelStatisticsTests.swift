import LinkTesting
import Testing

/// What `--stats` tells of a run whose link the kernel conditions.
@Suite("Run: statistics of the kernel", .requiresNamespaces, .tags(.contrary))
struct RunKernelStatisticsTests {
    @Test(.requiresConditioning)
    func `the kernel data plane tells what its qdiscs count`() async throws {
        try await RecordingFiles.with { files in
            let result = try await SandboxedRun(
                arguments: RunEvidenceTests.quickLoss + [
                    "--backend", "kernel", "--stats", files.stats, "--",
                ] + RunEvidenceTests.ping
            ).result()
            let match = try #require(
                result.standardOutput.firstMatch(of: /200 packets transmitted, ([0-9]+) received/))
            let statistics = try await files.statistics()
            #expect(statistics.backend == "kernel")
            #expect(statistics.seed == nil)
            #expect(statistics.faithful == nil)
            let (up, down) = (statistics.up.counters, statistics.down.counters)
            #expect(up.longestQueuePackets == nil)
            #expect((15...80).contains(up.lost))
            // Neighbour discovery crosses the qdiscs as well.
            let received = try #require(Int(match.1))
            #expect((received...received + 30).contains(down.packets))
        }
    }
}
