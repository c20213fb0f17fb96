import Foundation
import LinkTesting
import Testing

/// `Examples/prefetch-assets` when the server, the disk, the clock or somebody else plays tricks.
@Suite("Example prefetch-assets in trouble") struct AssetTroubleTests {
    /// What `asset_troubles.py` says.
    private struct Report: Decodable {
        /// The exit codes of the processes that were not killed by the test.
        let codes: [Int32]
        let output: String
        /// Of each request the version of the content, and where the requested part begins.
        let requests: [[Int]]
        /// Whether the asset is there with the right content.
        let right: Bool
        /// Files beside it, and what is left of downloads.
        let files: [String]

        var starts: [Int] { requests.map { $0[1] } }
    }

    private static func report(_ trouble: String) async throws -> Report {
        let result = try await runProcess(
            "python3",
            [
                ExampleRun.fixture("asset_troubles.py"),
                try BuiltProduct.path(of: "prefetch-assets"), trouble,
            ])
        try #require(result.exitCode == 0, "\(result.standardError)")
        return try JSONDecoder().decode(Report.self, from: Data(result.standardOutput.utf8))
    }

    @Test func `of two processes at once one leaves`() async throws {
        let report = try await Self.report("two_at_once")
        #expect(report.codes == [75, 0] && report.right && report.starts == [0])
        #expect(report.output.contains("(extension) uses the assets"))
    }

    @Test func `of many that start at once all come to a good end`() async throws {
        let report = try await Self.report("many_at_once")
        #expect(report.codes.prefix(3) == [0, 0, 0] && report.right && report.starts == [0])
        #expect(Set(report.codes).isSubset(of: [0, 75]), "\(report)")
    }

    @Test func `a stopped process loses the assets, and notices it when it wakes up`() async throws
    {
        let report = try await Self.report("stopped")
        #expect(report.codes == [0, 75] && report.right && report.files.isEmpty)
        #expect(report.starts.count == 2 && report.starts[1] > 0, "\(report)")
        #expect(report.output.contains("Another process has taken over"))
    }

    @Test func `content that changes during a download is downloaded anew`() async throws {
        let report = try await Self.report("changed_content")
        #expect(report.codes == [0] && report.right && report.files.isEmpty)
        #expect(report.requests == [[1, 0], [2, 0]])
    }

    @Test func `content of another version than the manifest's is refused, and the old one stays`()
        async throws
    {
        let report = try await Self.report("old_manifest")
        #expect(report.codes == [0, 1] && report.right && report.files.isEmpty)
        #expect(report.output.contains("a.pack: the content does not have the SHA-256"))
    }

    @Test func `a wrong part of the right version costs one more download`() async throws {
        let report = try await Self.report("same_tag")
        #expect(report.codes == [0] && report.right && report.files.isEmpty)
        #expect(report.starts.count == 3 && report.starts[1] > 0 && report.starts[2] == 0)
    }

    @Test func `content that the manifest does not promise is refused`() async throws {
        let report = try await Self.report("wrong_content")
        #expect(report.codes == [1] && !report.right && report.files.isEmpty)
        #expect(report.starts == [0])
    }

    @Test func `wrong content that comes in pieces is fetched twice and no more`() async throws {
        let report = try await Self.report("wrong_and_cut")
        #expect(report.codes == [1] && !report.right && report.files.isEmpty)
        #expect(report.starts == [0, 500_000, 1_000_000, 0, 500_000, 1_000_000])
    }

    @Test func `sizes that are wrong or impossible are refused before the content comes`()
        async throws
    {
        let report = try await Self.report("wrong_size")
        #expect(report.codes == [1, 1] && report.files.isEmpty && report.starts == [0])
        #expect(report.output.contains("says 1400000 bytes, and the server sends 1500000"))
        #expect(report.output.contains("1152921504606846976 more bytes are needed"))
    }

    @Test func `names that lead elsewhere are refused`() async throws {
        let report = try await Self.report("other_path")
        #expect(report.codes == [1] && report.requests.isEmpty)
        #expect(report.output.contains("\"../a.pack\", is no plain file name"))
    }

    @Test(arguments: [
        ("other_record", []), ("other_resume_data", []), ("other_part", ["precious"]),
    ])
    func `a record of another version, or that names another file, is not used`(
        _ trouble: String, _ files: [String]
    ) async throws {
        let report = try await Self.report(trouble)
        #expect(report.codes == [0] && report.right && report.files == files)
        #expect(report.starts == [0, 0])
    }

    @Test func `a download that is cut continues`() async throws {
        let report = try await Self.report("cut")
        #expect(report.codes == [0] && report.right)
        #expect(report.starts == [0, 500_000, 1_000_000])
    }

    @Test func `a clock that was set back changes nothing`() async throws {
        let report = try await Self.report("clock_set_back")
        #expect(report.codes == [0, 0, 0] && report.right)
        #expect(report.starts.count == 3 && report.starts[2] > 0, "\(report)")
    }

    @Test func `the extension ends when asked to, or is killed, and its parts stay`() async throws {
        let report = try await Self.report("terminated")
        #expect(report.codes == [0, 1, 0, -SIGKILL, 0] && report.right)
        #expect(report.starts.count == 3 && report.starts.sorted() == report.starts, "\(report)")
        #expect(report.starts[1] > 0)
        #expect(report.output.contains("asked to end: the parts stay"))
        #expect(report.output.contains("it was killed since it did not end"))
    }

    @Test func `the extension gets no more time and memory than it may take`() async throws {
        let report = try await Self.report("limits")
        #expect(report.codes == [1, 1, 0] && report.right)
        #expect(report.output.contains("took too long, and it ended when asked to"))
        #expect(report.output.contains("took too much memory, and it ended when asked to"))
    }

    @Test(.requiresNamespaces) func `a full disk is named before and during a download`()
        async throws
    {
        let result = try await runProcess(
            "unshare",
            [
                "--mount", "python3", ExampleRun.fixture("asset_troubles.py"),
                try BuiltProduct.path(of: "prefetch-assets"), "disk_full",
            ])
        try #require(result.exitCode == 0, "\(result.standardError)")
        let report = try JSONDecoder().decode(
            Report.self, from: Data(result.standardOutput.utf8))
        #expect(report.codes == [1, 1, 0] && report.right && report.files.isEmpty)
        #expect(report.output.contains("1500000 more bytes are needed"))
        #expect(report.output.contains("No space left on device. What was received is kept"))
        #expect(report.starts.count == 2 && report.starts[1] > 0)
    }
}

/// The example, killed at random moments. With `LINKCOND_KILLS` there are so many kills.
@Suite("Kills of prefetch-assets") struct AssetKillTests {
    private struct Campaign: Decodable {
        let seed: Int
        /// How many kills interrupted a transfer, and how many versions were complete in the end.
        let met: Int
        let complete: Int
        let faults: [String]
    }

    @Test func `killed at any moment, it loses at most a block, and ends with the right content`()
        async throws
    {
        let wish = ProcessInfo.processInfo.environment["LINKCOND_KILLS"].flatMap { Int($0) }
        let count = wish ?? 12
        let result = try await runProcess(
            "python3",
            [
                ExampleRun.fixture("asset_kills.py"),
                try BuiltProduct.path(of: "prefetch-assets"), "\(count)",
            ], timeout: .seconds(120 + 5 * count))
        try #require(result.exitCode == 0, "\(result.standardError)")
        let campaign = try JSONDecoder().decode(
            Campaign.self, from: Data(result.standardOutput.utf8))
        #expect(campaign.faults == [], "\(campaign)")
        #expect(campaign.met * 6 > count && campaign.complete > 0, "\(campaign)")
        if wish != nil { print(result.standardOutput) }
    }
}
