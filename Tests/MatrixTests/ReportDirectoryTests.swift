import Foundation
import LinkModel
import LinkTesting
import Testing

@testable import Matrix

@Suite("Directory of a report", .tags(.unit))
struct ReportDirectoryTests {
    @Test func `it is made with all above it, and has what is written`() async throws {
        try await withTemporaryDirectory { temporary in
            let path = "\(temporary.path)/a/b"
            let directory = try ReportDirectory(creating: path)
            let report = SampleMatrix.report(SampleMatrix.specification())
            try directory.write(report.json(), to: ReportDirectory.reportName)
            #expect(try ReportDirectory.report(at: path) == report)
            #expect(try ReportDirectory.report(at: path + "/report.json") == report)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: path).sorted() == [
                    "logs", "report.json",
                ])
        }
    }

    @Test func `an older report goes with its files, and what is not its own stays`() async throws {
        try await withTemporaryDirectory { temporary in
            let directory = try ReportDirectory(creating: temporary.path)
            var report = SampleMatrix.report(SampleMatrix.specification(["LTE"]))
            try temporary.write("old", to: "logs/LTE.log")
            try temporary.write("old", to: "logs/mine.log")
            try temporary.write("old", to: "mine")
            try temporary.write("old", to: "files/LTE/junit.xml")
            report = Self.adding(files: "files/LTE", to: report)
            report = Self.adding(files: "files/../mine", to: report, cell: 0)
            try directory.write(report.json(), to: ReportDirectory.reportName)
            _ = try ReportDirectory(creating: temporary.path)
            let left = try FileManager.default.subpathsOfDirectory(atPath: temporary.path)
            #expect(left.sorted() == ["files", "logs", "logs/mine.log", "mine"])
        }
    }

    @Test(arguments: [false, true])
    func `an older report's pages go, too, even without its report.json`(
        isWhole: Bool
    ) async throws {
        try await withTemporaryDirectory { temporary in
            let pages = ["junit.xml", "summary.md", "report.html"]
            for page in pages { try temporary.write("linkcond matrix: all passed", to: page) }
            let old = SampleMatrix.report(SampleMatrix.specification())
            if isWhole { try temporary.write(old.json(), to: ReportDirectory.reportName) }
            _ = try ReportDirectory(creating: temporary.path)
            let left = try FileManager.default.subpathsOfDirectory(atPath: temporary.path)
            #expect(left == ["logs"])
        }
    }

    @Test(arguments: ["junit.xml", "summary.md", "report.html", "files/LTE/a.xml"])
    func `somebody else's files of these names are not touched`(name: String) async throws {
        try await withTemporaryDirectory { temporary in
            try temporary.write("theirs", to: name)
            let error = #expect(throws: MatrixError.self) {
                try MatrixStore.begin(SampleMatrix.record(), at: temporary.path)
            }
            #expect(error.map { "\($0)".contains("choose another directory") } == true)
            #expect(
                try String(contentsOfFile: "\(temporary.path)/\(name)", encoding: .utf8) == "theirs"
            )
        }
    }

    @Test func `somebody else's report keeps its pages`() async throws {
        try await withTemporaryDirectory { temporary in
            try temporary.write("{\"tests\": 5}", to: "report.json")
            try temporary.write("theirs", to: "junit.xml")
            #expect(throws: MatrixError.self) { try ReportDirectory(creating: temporary.path) }
            let left = try FileManager.default.subpathsOfDirectory(atPath: temporary.path)
            #expect(left.sorted() == ["junit.xml", "report.json"])
        }
    }

    private static func adding(
        files: String, to report: MatrixReport, cell: Int = 1
    ) -> MatrixReport {
        var cells = report.cells
        cells[cell].files = files
        return MatrixReport(
            command: report.command, specification: report.specification,
            startedAt: report.startedAt, durationSeconds: 1, isFinished: true,
            machine: report.machine, cells: cells)
    }

    @Test func `somebody else's report is not overwritten`() async throws {
        try await withTemporaryDirectory { temporary in
            try temporary.write("{\"tests\": 5}", to: "report.json")
            let error = #expect(throws: MatrixError.self) {
                try ReportDirectory(creating: temporary.path)
            }
            #expect(error?.description.contains("no report of linkcond matrix") == true)
            #expect(error?.status == .cannotWrite)
        }
    }

    @Test(arguments: [("file/report", "file: Not a directory"), ("/proc/report", "/proc/report:")])
    func `where nothing can be written, that is said at once`(
        name: String, message: String
    ) async throws {
        try await withTemporaryDirectory { temporary in
            try temporary.write("", to: "file")
            let path = name.hasPrefix("/") ? name : "\(temporary.path)/\(name)"
            let error = #expect(throws: MatrixError.self) { try ReportDirectory(creating: path) }
            #expect(error?.description.contains(message) == true, "\(error as Any)")
            #expect(error?.description.hasPrefix("cannot write ") == true)
        }
    }

    @Test func `what is no report cannot be read as one`() async throws {
        try await withTemporaryDirectory { temporary in
            let missing = #expect(throws: MatrixError.self) {
                try ReportDirectory.report(at: temporary.path)
            }
            #expect(missing?.status == .cannotRead)
            try temporary.write("{\"cells\": []}", to: "report.json")
            let wrong = #expect(throws: MatrixError.self) {
                try ReportDirectory.report(at: temporary.path)
            }
            #expect(wrong?.status == .badFile)
        }
    }

    @Test func `of a part those files are taken over that the whole names`() async throws {
        try await withTemporaryDirectory { temporary in
            var part = SampleMatrix.report(SampleMatrix.specification(["LTE"]))
            part = Self.adding(files: "files/LTE", to: part)
            for name in ["logs/baseline.log", "logs/LTE.log", "files/LTE/a/b"] {
                try temporary.write(name, to: "part/\(name)")
            }
            let target = try ReportDirectory(creating: "\(temporary.path)/all")
            let rename = { (path: String) in path.replacing("LTE", with: "2-LTE") }
            let whole = try MatrixReport.merging([part]) { path, _ in
                path == "logs/baseline.log" ? "elsewhere" : rename(path)
            }
            let leftBehind = try target.copyFiles(
                of: part, in: "\(temporary.path)/part", for: whole, rename: rename)
            #expect(leftBehind == [])
            let files = try FileManager.default.subpathsOfDirectory(atPath: target.path)
            #expect(files.contains("logs/2-LTE.log") && files.contains("files/2-LTE/a/b"))
            #expect(!files.contains("logs/baseline.log"))
        }
    }
}
