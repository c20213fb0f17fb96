import Foundation
import LinkTesting
import Recording
import Testing

@testable import Matrix

@Suite("Reports for people and engines", .tags(.unit)) struct ReadableReportsTests {
    /// Three cells of the sample, short enough to read.
    private var short: ReadableReports {
        let whole = SampleReport.report
        let indices = [0, 5, 8]
        var report = MatrixReport(
            command: ["pytest", "-q"], specification: whole.specification,
            startedAt: whole.startedAt, durationSeconds: 61.5, isFinished: true,
            machine: whole.machine, shard: Shard(index: 1, count: 3), notes: ["<busy> | *today*"],
            cells: indices.map { index in
                var cell = whole.cells[index]
                cell.samples = cell.samples.reduced(to: 6)
                return cell
            })
        report.notes.append("two")
        return ReadableReports(report, indices.map { SampleReport.attachments[$0] })
    }

    @Test(arguments: ReadableReports.File.allCases)
    func `reports are as written down`(_ file: ReadableReports.File) throws {
        var text = short.text(of: file)
        if file == .page {
            // The style and the script are files of their own.
            for tag in ["style", "script"] {
                let parts = text.components(separatedBy: "<\(tag)>")
                let end = parts[1].components(separatedBy: "</\(tag)>").dropFirst()
                text = "\(parts[0])<\(tag)></\(tag)>\(end.joined(separator: "</\(tag)>"))"
            }
        }
        try Golden(file.rawValue).expect(text)
    }

    @Test func `the messages for GitHub are one line each`() throws {
        let lines = SampleReport.reports.gitHubMessages
        try Golden("github-messages.txt").expect(lines.joined(separator: "\n") + "\n")
    }

    @Test func `a thousand cells are few messages and a short summary`() {
        let whole = SampleReport.report
        var cell = whole.cells[7]
        cell.samples = []
        let many = MatrixReport(
            command: ["x"], specification: whole.specification, startedAt: whole.startedAt,
            durationSeconds: 1, isFinished: true, machine: whole.machine,
            cells: (1...1000).map { number in
                var copy = cell
                copy.id = "p\(number)"
                copy.profile = copy.id
                return copy
            })
        let log = LogExcerpt([UInt8](repeating: 0x7C, count: 100_000))
        var attachment = CellAttachments()
        attachment.log = log
        let reports = ReadableReports(many, Array(repeating: attachment, count: 1000))
        #expect(reports.gitHubMessages.count == 10)
        #expect(reports.text(of: .summary).utf8.count < 1024 * 1024)
        #expect(reports.text(of: .summary).contains("800 more cells are in report.html"))
    }

    /// A report of many small cells.
    static func large(_ count: Int) -> ReadableReports {
        let whole = SampleReport.report
        var cell = whole.cells[7]
        cell.samples = cell.samples.reduced(to: 10)
        cell.tests = [
            TestReport(suite: "a", name: "<b>", status: .failed, seconds: 1, message: "</script>")
        ]
        let cells = (1...count).map { number in
            var copy = cell
            copy.profile = "p\((number - 1) / 100 + 1)"
            copy.repetition = (number - 1) % 100 + 1
            copy.id = "\(copy.profile)/\(copy.repetition)"
            copy.status = number.isMultiple(of: 30) ? .failed : .passed
            copy.exitCode = number.isMultiple(of: 30) ? 1 : 0
            return copy
        }
        var specification = whole.specification
        specification.profiles = (1...(count + 99) / 100).map { "p\($0)" }
        specification.repetitions = 100
        let report = MatrixReport(
            command: ["x"], specification: specification, startedAt: whole.startedAt,
            durationSeconds: 1, isFinished: true, machine: whole.machine, cells: cells)
        return ReadableReports(report, Array(repeating: CellAttachments(), count: count))
    }

    @Test(arguments: [(200, 0), (201, 9), (1000, 40)])
    func `the cells of a large matrix have pages beside the report, and every link leads to one`(
        _ count: Int, _ files: Int
    ) async throws {
        try await withTemporaryDirectory { directory in
            try Self.large(count).write(to: ReportDirectory(creating: directory.path))
            let root = URL(filePath: directory.path)
            let main = try String(
                contentsOf: root.appending(path: "report.html"), encoding: .utf8)
            let pages = root.appending(path: "pages")
            let names =
                (try? FileManager.default.contentsOfDirectory(atPath: pages.path)) ?? []
            #expect(names.count == files)
            #expect(names.allSatisfy { $0.hasPrefix("cells-") && $0.hasSuffix(".html") })
            var ids = Set(Self.matches(of: /id="(cell-[0-9]+)"/, in: main).map { "#\($0)" })
            for name in names {
                let text = try String(contentsOf: pages.appending(path: name), encoding: .utf8)
                let own = Self.matches(of: /id="(cell-[0-9]+)"/, in: text)
                #expect((1...CellLinks.cellsInFile).contains(own.count))
                ids.formUnion(own.map { "pages/\(name)#\($0)" })
                #expect(!text.contains("\"<b>") && text.contains(PageReport.policy))
                // Neighbours in other files.
                for link in Self.matches(of: /href="(cells-[0-9]+\.html)#/, in: text) {
                    #expect(names.contains(link))
                }
            }
            #expect(ids.count == count)
            let links = Self.matches(of: /class="[^"]*" href="([^"]*#cell-[0-9]+)"/, in: main)
            #expect(Set(links).isSuperset(of: ids))
            #expect(Set(links.filter { !$0.contains("-test-") }).subtracting(ids).isEmpty)
            #expect(main.contains("<summary>all 100, 3 failed</summary>"))
        }
    }

    private static func matches(of regex: Regex<(Substring, Substring)>, in text: String)
        -> [String]
    {
        text.matches(of: regex).map { String($0.output.1) }
    }

    @Test func `a smaller report leaves no pages of a larger one`() async throws {
        try await withTemporaryDirectory { directory in
            for count in [300, 2] {
                let reports = Self.large(count)
                let target = try ReportDirectory(creating: directory.path)
                try target.write(try reports.report.json(), to: ReportDirectory.reportName)
                try reports.write(to: target)
            }
            let pages = "\(directory.path)/pages"
            #expect(((try? FileManager.default.contentsOfDirectory(atPath: pages)) ?? []) == [])
        }
    }

    @Test func `junit.xml is valid for the schema of Jenkins and pytest`() async throws {
        try await JUnitSchema.expectValid(SampleReport.reports.text(of: .junit))
        try await JUnitSchema.expectValid(short.text(of: .junit))
    }

    @Test func `the page has no element that the sample's names and logs bring along`() {
        let page = SampleReport.reports.text(of: .page)
        #expect(!page.contains("<b>Bad</b>"))
        #expect(!page.contains("<img"))
        #expect(page.components(separatedBy: "<script").count == 2)
        #expect(page.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A || $0 == 0x09 })
    }

    @Test func `the policy of the page lets its own script run and no other`() async throws {
        let program = """
            import base64, hashlib, sys
            text = sys.stdin.buffer.read()
            print("sha256-" + base64.b64encode(hashlib.sha256(text).digest()).decode())
            """
        let result = try await runProcess("python3", ["-c", program], input: PageReport.script)
        let hash = result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(PageReport.policy.hasSuffix("script-src '\(hash)'"), "policy.txt needs \(hash)")
        #expect(!PageReport.script.contains("</"))
    }

    @Test func `an empty matrix is a report too`() async throws {
        let whole = SampleReport.report
        let empty = MatrixReport(
            command: [], specification: whole.specification, startedAt: whole.startedAt,
            durationSeconds: 0, isFinished: false, machine: whole.machine, cells: [])
        let reports = ReadableReports(empty, [])
        #expect(reports.text(of: .page).contains("no cells"))
        #expect(reports.text(of: .summary).contains("0 passed"))
        try await JUnitSchema.expectValid(reports.text(of: .junit))
    }

    // MARK: Files

    @Test func `logs and JUnit files are found beside the report`() async throws {
        try await withTemporaryDirectory { directory in
            var report = SampleReport.report
            for cell in report.cells {
                if let log = cell.log {
                    try directory.write(Data(SampleReport.log(of: cell)), to: log.path)
                }
                if let files = cell.files {
                    try directory.write(
                        SampleReport.junit(failed: 1), to: "\(files)/deep/results.xml")
                    try directory.write("<coverage/>", to: "\(files)/coverage.xml")
                }
            }
            let all = ReadableReports(report, in: directory.path)
            #expect(all.text(of: .junit).contains("classname=\"LTE/1.tests.test_api\""))
            #expect(!all.text(of: .page).contains("is left out of the reports"))
            let asked = ReadableReports(report, in: directory.path, collecting: "*.xml")
            #expect(
                asked.text(of: .page).contains(
                    "files/LTE-1/coverage.xml is left out of the reports: XML, but no"))
            try await JUnitSchema.expectValid(all.text(of: .junit))
            report.notes = []
        }
    }

    @Test(arguments: ["", "<testsuites>", "not XML", "<a><b></a>", "\u{0}\u{1}"])
    func `broken JUnit files are a note, not a failure`(_ text: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(text, to: "files/LTE-1/results.xml")
            let reports = ReadableReports(SampleReport.report, in: directory.path)
            let note = "files/LTE-1/results.xml is left out of the reports: line 1: "
            #expect(reports.text(of: .page).contains(note))
            #expect(reports.text(of: .junit).contains(note))
            try await JUnitSchema.expectValid(reports.text(of: .junit))
        }
    }

    @Test func `a report names no files outside its directory`() async throws {
        try await withTemporaryDirectory { directory in
            let secret = try directory.write("secret", to: "secret.log")
            try directory.write("", to: "report/x")
            let link = "\(directory.path)/report/files/LTE-1/results.xml"
            try FileManager.default.createDirectory(
                atPath: "\(directory.path)/report/files/LTE-1", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: "/dev/zero")
            let whole = SampleReport.report
            var cells = Array(whole.cells[0...2])
            cells[0].log?.path = secret
            cells[1].log?.path = "../secret.log"
            let report = MatrixReport(
                command: ["x"], specification: whole.specification, startedAt: whole.startedAt,
                durationSeconds: 1, isFinished: true, machine: whole.machine, cells: cells)
            let page = ReadableReports(report, in: "\(directory.path)/report").text(of: .page)
            #expect(!page.contains(">secret"))
            #expect(page.contains("results.xml is left out of the reports: not a regular file"))
        }
    }

    @Test func `the failures of a cell that may fail do not fail the engine's job`() {
        let junit = SampleReport.reports.text(of: .junit)
        let suite = junit.components(separatedBy: "<testsuite name=\"100%-loss/1 / ")[1]
            .components(separatedBy: "</testsuite>")[0]
        #expect(suite.contains("failures=\"0\""))
        #expect(suite.contains("<skipped message=\"failed, as it may here: requests"))
    }

    @Test(
        arguments: [
            (nil, "failures=\"1\"", "<failure"),
            (true, "failures=\"0\"", "<skipped message=\"failed, but only the exit code counts: "),
        ] as [(Bool?, String, String)])
    func `failures that nobody expected stay failures, unless only the exit code counts`(
        trustsExitCode: Bool?, count: String, element: String
    ) {
        let sample = SampleReport.report
        var specification = sample.specification
        specification.trustsExitCode = trustsExitCode
        let report = MatrixReport(
            command: sample.command, specification: specification, startedAt: sample.startedAt,
            durationSeconds: 1, isFinished: true, machine: sample.machine,
            cells: [sample.cells[2]])
        var attachments = CellAttachments()
        attachments.tests.suites = SampleReport.attachments[8].tests.suites
        #expect(report.cells[0].status == .passed && report.cells[0].exitCode == 0)
        let junit = ReadableReports(report, [attachments]).text(of: .junit)
        let suite = junit.components(separatedBy: "<testsuite name=\"LTE/1 / ")[1]
        #expect(suite.contains(count) && suite.contains(element), "\(suite)")
    }
}
