import Foundation
import LinkModel
import LinkTesting
import Recording
import Testing

@testable import Matrix

/// Directories of reports that come from other machines, or in which commands have put things.
@Suite("Directories of reports of others", .tags(.unit))
struct HostileReportTests {
    private static let secret = "<testsuite name='s'><testcase name='SECRET'/></testsuite>"

    /// A part whose report names logs and files that are links to what is outside.
    private static func withPart(
        _ body: (TemporaryDirectory, MatrixReport) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { temporary in
            try temporary.write(secret, to: "outside/secret.xml")
            try shell(
                """
                cd \(temporary.path); mkdir -p part/logs part/files/LTE/sub
                ln -s ../../outside/secret.xml part/logs/LTE.log
                ln -s ../../../outside part/files/LTE/away
                ln -s ../../../../outside/secret.xml part/files/LTE/sub/link.xml
                ln -s ../../outside part/files/3G
                mkfifo part/files/LTE/pipe.xml
                echo kept >part/logs/3G.log; echo own >part/files/LTE/sub/own
                """)
            let whole = SampleMatrix.report(SampleMatrix.specification())
            var cells = whole.cells
            for index in cells.indices where !cells[index].isBaseline {
                cells[index].files = "files/\(cells[index].id)"
            }
            let report = MatrixReport(
                command: whole.command, specification: whole.specification,
                startedAt: whole.startedAt, durationSeconds: 1, isFinished: true,
                machine: whole.machine, cells: cells)
            try temporary.write(report.json(), to: "part/report.json")
            try body(temporary, report)
        }
    }

    @Test func `reports have nothing of what links lead to`() async throws {
        try await Self.withPart { temporary, report in
            let readable = ReadableReports(report, in: "\(temporary.path)/part")
            for file in ReadableReports.File.allCases {
                let text = readable.text(of: file)
                #expect(!text.contains("SECRET"))
                #expect(file != .page || text.contains("kept"))
            }
        }
    }

    @Test func `merging leaves links behind, and says so`() async throws {
        try await Self.withPart { temporary, report in
            let target = try ReportDirectory(creating: "\(temporary.path)/all")
            let notes = try target.copyFiles(
                of: report, in: "\(temporary.path)/part", for: report, rename: { $0 })
            let names = ["logs/LTE.log", "files/LTE/away", "files/LTE/sub/link.xml", "files/3G"]
            for name in names + ["files/LTE/pipe.xml"] {
                #expect(notes.contains { $0.contains("/part/\(name) is no regular file") })
            }
            let all = try FileManager.default.subpathsOfDirectory(atPath: target.path)
            #expect(
                all.sorted() == [
                    "files", "files/LTE", "files/LTE/sub", "files/LTE/sub/own", "logs",
                    "logs/3G.log",
                ])
        }
    }

    @Test func `what a command puts into the directory is not written through`() async throws {
        try await withTemporaryDirectory { temporary in
            let outside = try temporary.write("mine", to: "outside/file")
            let directory = try ReportDirectory(creating: "\(temporary.path)/report")
            try shell(
                """
                cd \(temporary.path)/report
                ln -s ../../outside/file logs/LTE.log; ln -s ../outside/file .report.json.partial
                ln -s ../outside files
                """)
            try directory.openLog("LTE").file.write("printed")
            try directory.write("{}", to: ReportDirectory.reportName)
            #expect(throws: MatrixError.self) { try directory.makeFilesDirectory("LTE") }
            #expect(try String(contentsOfFile: outside, encoding: .utf8) == "mine")
            let left = try FileManager.default.subpathsOfDirectory(
                atPath: "\(temporary.path)/outside")
            #expect(left == ["file"])
        }
    }

    @Test func `a directory of logs that is a link is not emptied`() async throws {
        try await withTemporaryDirectory { temporary in
            try temporary.write("mine", to: "outside/LTE.log")
            let report = SampleMatrix.report(SampleMatrix.specification(["LTE"]))
            try temporary.write(report.json(), to: "report/report.json")
            try shell("ln -s ../outside \(temporary.path)/report/logs")
            let error = #expect(throws: MatrixError.self) {
                try ReportDirectory(creating: "\(temporary.path)/report")
            }
            #expect(error?.status == .cannotWrite)
            let left = try FileManager.default.subpathsOfDirectory(
                atPath: "\(temporary.path)/outside")
            #expect(left == ["LTE.log"])
        }
    }
}
