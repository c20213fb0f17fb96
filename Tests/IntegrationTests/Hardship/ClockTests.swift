import Foundation
import LinkTesting
import Testing

/// A clock that somebody sets to another hour, again and again.
@Suite(
    "The clock is set", .serialized, .requiresNamespaces,
    .enabled(
        if: ProcessInfo.processInfo.environment["LINKCOND_KERNEL_LAB"] == "1",
        "only the kernel lab's clock is nobody else's"))
struct ClockTests {
    private static let fixtures =
        BuiltProduct.packageDirectory + "/Tests/IntegrationTests/Fixtures/"

    /// Runs linkcond meanwhile.
    private static func linkcond(_ arguments: String...) async throws -> ProcessResult {
        let result = try await runProcess(
            "python3", [fixtures + "clock_steps.py", try TestNetwork.program()] + arguments)
        #expect(result.exitCode == 0, "\(result)")
        return result
    }

    @Test(arguments: ["engine", "kernel"])
    func `packets keep their delay`(backend: String) async throws {
        try await RecordingFiles.with { files in
            let result = try await Self.linkcond(
                "run", "LTE", "--backend", backend, "--uplink", "none", "--stats", files.stats,
                "--",
                "python3", Self.fixtures + "connecting.py", "198.18.0.1", "24")
            let times = result.standardOutput.split(separator: "\n").compactMap { Double($0) }
            #expect(times.count == 24)
            // Each is far from the hour by which the clock went.
            #expect(times.allSatisfy { (114.5..<1000).contains($0) }, "\(times)")
            let statistics = try await files.statistics()
            #expect((2..<100).contains(statistics.durationSeconds))
        }
    }

    @Test func `a link is measured as it is`() async throws {
        _ = try await Self.linkcond("verify", "3G", "--backend", "kernel", "--quick")
    }

    @Test func `a recorded trace has no gap`() async throws {
        try await TestNetwork.with { network in
            try await withTemporaryDirectory { directory in
                let result = try await network.run(
                    "python3",
                    [
                        Self.fixtures + "clock_steps.py", try TestNetwork.program(), "trace",
                        "record", directory.path + "/pings", "-i", "eth0", "--", "ping", "-c",
                        "150",
                        "-i", "0.02", "-q", TestNetwork.serverIPv4,
                    ])
                #expect(result.exitCode == 0, "\(result)")
                let milliseconds = try String(
                    contentsOfFile: directory.path + "/pings.down", encoding: .utf8
                ).split(separator: "\n").compactMap { Int($0) }
                let last = try #require(milliseconds.last)
                #expect((2000..<60_000).contains(last), "\(milliseconds)")
            }
        }
    }
}
