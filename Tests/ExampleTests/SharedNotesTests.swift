import Foundation
import LinkTesting
import Testing

/// `Examples/shared-notes` under its own scenario, with two tablets.
@Suite("Example shared-notes") struct SharedNotesTests {
    private static func play(_ options: [String]) async throws -> ProcessResult {
        let example = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Examples/shared-notes").path
        let linkcond =
            try ProcessInfo.processInfo.environment["LINKCOND_BINARY"]
            ?? BuiltProduct.path(of: "linkcond")
        return try await withTemporaryDirectory { directory in
            try shell("mkdir \(directory.path)/tabletA \(directory.path)/tabletB")
            return try await runProcess(
                linkcond,
                [
                    "run", "--scenario", example + "/two-tablets.yaml", "--uplink", "none",
                    "--server", "exec python3 \(example)/server.py 8000", "--server-ready", "8000",
                    "--drain", "1 s", "--", try BuiltProduct.path(of: "shared-notes"),
                    "http://server.linkcond:8000",
                ] + options, workingDirectory: directory.path, timeout: .seconds(90))
        }
    }

    /// The app has 5 s at its end, as on a tablet; a busy machine would take them from it.
    @Test(.tags(.paced)) func `it passes if it uploads while one works`() async throws {
        let result = try await Self.play([])
        #expect(result.exitCode == 0, "\(result.standardError) \(result.standardOutput)")
        let output = result.standardOutput
        #expect(output.contains("anna: signed out, everything is on the server\n"), "\(output)")
    }

    @Test func `it fails if it uploads at exit, and each device says why`() async throws {
        let result = try await Self.play(["--upload-at-exit"])
        #expect(result.exitCode == 1)
        let complaints = result.standardError
        #expect(complaints.contains("two-tablets.yaml:26: tabletB: expected `"), "\(complaints)")
        #expect(complaints.contains("two-tablets.yaml:29: tabletA: expected `"), "\(complaints)")
    }
}
