import Foundation
import LinkTesting
import Matrix
import Recording
import Testing

/// Cells on a machine without enough processor time.
@Suite("Matrix: busy machine", .requiresNamespaces)
struct MatrixBusyTests {
    /// Also fails at the first attempt.
    private static let command = """
        \(SelfMadeShortage.script(seconds: 2))
        mkdir once.$LINKCOND_CELL 2>/dev/null || exit 0
        exit 1
        """

    @Test(.enabled(if: SelfMadeShortage.isPossible, "there is no spare processor"))
    func `a cell that failed for lack of processor time is repeated by itself`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.result(
                "--profiles", "LTE,3G", "--no-baseline", "--jobs", "2", "--uplink", "none",
                "--report", "report", "--", "sh", "-c", Self.command)
            #expect(result.exitCode == 0, "\(result)")
            let report = try run.report()
            let cells = report.cells
            #expect(cells.map(\.status) == [.passed, .passed])
            #expect(cells.allSatisfy { !$0.isFlaky }, "the machine was to blame")
            for cell in cells {
                let earlier = try #require(cell.earlierAttempts.first)
                #expect(cell.earlierAttempts.count == 1 && earlier.isFaithful == false)
                #expect(earlier.status == .failed && earlier.seed == cell.seed)
                #expect(cell.statistics?.isFaithful == false, "it makes itself busy")
                let use = try #require(cell.statistics?.processor)
                #expect(use.usedSeconds > 0 && use.lackedSeconds > 0.5, "\(use)")
                #expect(cell.notes.contains { $0.contains("too busy for the command") })
            }
            let ordered = cells.sorted { $0.startedSeconds < $1.startedSeconds }
            #expect(
                ordered[0].startedSeconds + ordered[0].durationSeconds
                    <= ordered[1].startedSeconds, "one after the other")
            #expect(report.notes.contains { $0.contains("too busy for exact results in 2 of 2") })
            let json = try String(
                contentsOfFile: run.reportPath + "/report.json", encoding: .utf8)
            try await JSONSchema("report").expectValid(json)
        }
    }

    @Test func `with never it is not repeated`() async throws {
        try await MatrixRun.with { run in
            let result = try await run.result(
                "--profiles", "LTE,3G", "--no-baseline", "--jobs", "2", "--uplink", "none",
                "--retry-unfaithful", "never", "--report", "report", "--", "sh", "-c",
                Self.command)
            #expect(result.exitCode == 1, "\(result)")
            #expect(try run.report().cells.allSatisfy { $0.earlierAttempts.isEmpty })
        }
    }
}
