import Foundation
import LinkTesting
import Testing

@testable import Matrix

@Suite("History of a matrix", .tags(.unit)) struct MatrixHistoryTests {
    /// A report of two repetitions per profile, some days after the first.
    private static func report(
        day: Int, statuses: [String: CellReport.Status] = [:], seconds: Double = 2,
        change: (inout CellReport) -> Void = { _ in }
    ) throws -> MatrixReport {
        var specification = SampleMatrix.specification(["LTE", "3G"], repetitions: 2)
        specification.expectations["3G"] = Expectations(
            duration: try DurationExpectation(parsing: "at most 2 x baseline"),
            transferred: try TransferExpectation(parsing: "at most 2 MB"),
            requests: try RequestExpectation(parsing: "at most 40"))
        var report = SampleMatrix.report(specification, statuses: statuses, seconds: seconds) {
            $0.baselineSeconds = 1.5
            change(&$0)
        }
        report.startedAt += Double(day) * 86_400
        return report
    }

    private static func history(_ reports: [MatrixReport]) -> MatrixHistory {
        MatrixHistory(
            reports.enumerated().map { ReportSummary($0.element, name: "report-\($0.offset + 1)") })
    }

    @Test func `it shows the trend of each profile, the oldest report first`() throws {
        let history = Self.history([
            try Self.report(day: 2, seconds: 4), try Self.report(day: 0),
            try Self.report(
                day: 1, statuses: ["3G/1": .failed, "LTE/1": .failed, "LTE/2": .failed]),
        ])
        #expect(history.runs.map(\.directory) == ["report-2", "report-3", "report-1"])
        #expect(history.profiles.map(\.name) == ["baseline", "LTE", "3G"])
        let (lte, slow) = (history.profiles[1], history.profiles[2])
        #expect(lte.points.map { $0?.failed } == [0, 2, 0])
        #expect(lte.passRate == 4.0 / 6 && lte.changes == 2)
        // All cells failed alike: that is no flakiness.
        #expect(lte.flakiness == 0)
        #expect(slow.flakiness == 1.0 / 3)
        #expect(slow.points.map { $0?.seconds } == [2, 2, 4])
    }

    @Test func `a lost machine makes nothing flaky`() throws {
        let history = Self.history([try Self.report(day: 0, statuses: ["LTE/1": .missing])])
        #expect(history.profiles[1].points.map { $0?.failed } == [1])
        #expect(history.profiles[1].flakiness == 0)
    }

    @Test func `budgets of the newest report are drawn, and misses are counted`() throws {
        let history = Self.history([
            try Self.report(day: 0), try Self.report(day: 1, seconds: 4),
            try Self.report(day: 2) { $0.baselineSeconds = nil },
        ])
        let budget = try #require(history.profiles[2].budgets.first)
        #expect(budget.quantity == .duration && budget.text == "at most 2 x baseline")
        #expect(budget.limits == [3, 3, nil])
        #expect(budget.missed == 1)
        #expect(
            history.profiles[2].budgets.map(\.text).dropFirst() == ["at most 2 MB", "at most 40"])
        #expect(history.profiles[1].budgets.isEmpty)
        let page = HistoryPage(history).html
        #expect(page.contains("duration at most 2 x baseline: not kept in 1 report<"))
    }

    @Test func `requests are drawn with their budget, and may be unknown in older reports`() throws
    {
        let history = Self.history(
            try [nil, 30, 44].enumerated().map { day, count in
                try Self.report(day: day) {
                    $0.statistics = SampleMatrix.statistics(requests: count)
                }
            })
        let slow = history.profiles[2]
        #expect(slow.points.map { $0?.requests } == [nil, 30, 44])
        let budget = try #require(slow.budgets.last)
        #expect(budget.quantity == .requests && budget.limits == [40, 40, 40])
        #expect(budget.missed == 1)
        #expect(HistoryPage(history).html.contains("requests at most 40: not kept in 1 report<"))
    }

    @Test func `tests that failed or were flaky have a row for each profile`() throws {
        let good = TestReport(suite: "s", name: "<t>", status: .passed)
        let bad = TestReport(suite: "s", name: "<t>", status: .failed, message: "</script>")
        let always = TestReport(suite: "s", name: "always", status: .passed)
        let history = Self.history([
            try Self.report(day: 0) { $0.tests = [$0.id == "3G/1" ? bad : good, always] },
            try Self.report(day: 1) { cell in
                cell.tests = [bad, always]
                if cell.profile == "LTE" {
                    cell.beginAgain()
                    cell.status = .passed
                    cell.tests = [good, always]
                } else {
                    cell.tests = [good, always]
                }
            },
        ])
        // Cells that pass with another exit code than 0 may have failed tests: these do not count.
        #expect(history.tests.map(\.profile) == ["LTE"])
        #expect(history.tests[0].flakyRuns == 1)
    }

    @Test func `failed tests of failed cells count`() throws {
        let bad = TestReport(suite: "s", name: "<t>", status: .failed, message: "</script>")
        let history = Self.history([
            try Self.report(day: 0, statuses: ["3G/1": .failed]) {
                $0.tests = [
                    $0.status == .failed
                        ? bad : TestReport(suite: "s", name: "<t>", status: .passed)
                ]
            }
        ])
        #expect(history.tests.map(\.failedRuns) == [1])
        #expect(history.tests[0].isFlakyNow && history.tests[0].message == "</script>")
        let page = HistoryPage(history).html
        #expect(page.components(separatedBy: "</script>").count == 2)
        #expect(!page.contains("<t>"))
    }

    @Test func `reports of other commands and copies are named and left out`() throws {
        let first = try Self.report(day: 0)
        let other = MatrixReport(
            command: ["make", "it so"], specification: first.specification,
            startedAt: first.startedAt, durationSeconds: 1, isFinished: true,
            machine: first.machine, cells: first.cells)
        let history = Self.history([first, other, first, try Self.report(day: 1)])
        #expect(history.runs.map(\.directory) == ["report-1", "report-4"])
        #expect(
            history.notes == [
                "left out: report-2: it is of another command, make 'it so'",
                "left out: report-3: it is the same report as report-1",
            ])
    }

    @Test func `damaged and foreign directories are named, and fatal only if none is left`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let json = try Self.report(day: 0).json()
            try directory.write(json, to: "good/report.json")
            try directory.write(String(json.prefix(500)), to: "cut/report.json")
            try directory.write("{\"version\": 9}", to: "foreign/report.json")
            try directory.write("", to: "none/other.txt")
            let bad = ["cut", "foreign", "none", "absent"].map { "\(directory.path)/\($0)" }
            let history = try MatrixHistory(of: bad + ["\(directory.path)/good"])
            #expect(history.runs.count == 1)
            #expect(history.notes.count == 4)
            for (note, path) in zip(history.notes, bad) {
                #expect(note.hasPrefix("left out: ") && note.contains(path), "\(note)")
            }
            #expect(throws: MatrixError.self) { try MatrixHistory(of: bad) }
            #expect(throws: MatrixError.self) { try MatrixHistory(of: []) }
        }
    }

    @Test func `its JSON is as the schema says`() async throws {
        let history = Self.history([
            try Self.report(day: 0),
            try Self.report(day: 1, statuses: ["3G/1": .failed]) {
                $0.tests = [TestReport(suite: "s", name: "t", status: .failed)]
            },
        ])
        try await JSONSchema("history").expectValid(try history.json())
    }
}

extension TestHistory {
    fileprivate var isFlakyNow: Bool { points.last??.isFlaky == true }
}
