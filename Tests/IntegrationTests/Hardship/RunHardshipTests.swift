import Foundation
import LinkTesting
import Testing

/// Runs that get little of what they need: the link lasts, takes no more than it may, and its report
/// says what it was not true to.
@Suite("Run: hard conditions", .serialized, .requiresNamespaces, .tags(.measure, .anyKernel))
struct RunHardshipTests {
    private static let fixtures =
        BuiltProduct.packageDirectory + "/Tests/IntegrationTests/Fixtures/"
    /// The far side's address.
    private static let far = "198.18.0.1"
    private static let memory = LimitedGroup.Limit.memory(bytes: 64 << 20)
    private static let processor = LimitedGroup.Limit.processor(percent: 10)

    /// Runs `command` over a link, with all processes in a group.
    private static func run(
        _ profile: String, _ command: String, in group: LimitedGroup, as caller: Caller,
        _ files: RecordingFiles
    ) async throws -> ProcessResult {
        let user = caller.userID.map { ["setpriv", "--reuid", "\($0)", "--clear-groups"] } ?? []
        let run = [
            try SandboxedRun.program(), "run", profile, "--backend", "engine", "--uplink", "none",
            "--stats", files.stats, "--", "sh", "-c", command,
        ]
        let words = group.words + user + run
        return try await runProcess(words[0], Array(words.dropFirst()))
    }

    @Test(.requires(memory), arguments: Caller.allCases)
    func `a flood into a slow link does not need more than 64 MiB`(by caller: Caller) async throws {
        try await RecordingFiles.with { files in
            let profile = try files.directory.write(
                """
                name: slow
                summary: A link that anything fills
                down: { bandwidth: 1 Mbit/s, delay: 10 ms }
                up: { bandwidth: 1 Mbit/s, delay: 10 ms, queue: 50 packets }
                """, to: "slow.yaml")
            let flood = "python3 \(Self.fixtures)flood.py \(Self.far) 3"
            let result = try await LimitedGroup.with(Self.memory) { group in
                try await Self.run(profile, flood, in: group, as: caller, files)
            }
            #expect(result.exitCode == 0, "\(result)")
            let bytes = try #require(
                Int(result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)),
                "\(result)")
            // So that there was something to hold out against.
            try #require(bytes > 100 << 20, "\(result)")
            let statistics = try await files.statistics()
            let up = statistics.up.counters
            #expect(up.bitsPerSecond < 1_010_000 && up.packets > 200, "\(up)")
            #expect(up.longestQueuePackets == 50, "\(up)")
            // What did not even get onto the link makes the run untrue to its profile, which it says.
            let missing = bytes / 1400 - up.packets - up.dropped
            if missing > 0 { #expect(statistics.faithful == false, "\(missing): \(up)") }
            #expect(up.dropped > up.packets, "\(up)")
        }
    }

    @Test(.requires(processor))
    func `who gets a tenth of a processor is told that packets were late`() async throws {
        try await RecordingFiles.with { files in
            let command =
                "while :; do :; done & ping -c 60 -i 0.05 -q \(Self.far); code=$?; kill $!; exit $code"
            let result = try await LimitedGroup.with(Self.processor) { group in
                try await Self.run("LTE", command, in: group, as: .ordinaryUser, files)
            }
            #expect(result.exitCode == 0, "\(result)")
            #expect(result.standardOutput.contains("60 received"), "\(result)")
            #expect(result.standardError.contains("this machine was too busy"), "\(result)")
            let statistics = try await files.statistics()
            #expect(statistics.faithful == false)
            #expect(statistics.flaw.map(result.standardError.contains) == true, "\(result)")
        }
    }
}
