import LinkUnits
import Recording

/// What a history keeps of a report.
struct ReportSummary: Sendable, Hashable {
    var run: HistoryRun
    var command: [String]
    var digest: String?
    /// In the order of the report.
    var profiles: [(name: String, point: ProfileHistory.Point)] {
        names.compactMap { name in points[name].map { (name, $0) } }
    }
    /// By the name of the profile.
    var budgets: [String: [LimitedQuantity]] = [:]
    var tests: [TestHistory.Key: TestHistory.Point] = [:]

    private var names: [String] = []
    private var points: [String: ProfileHistory.Point] = [:]

    init(_ report: MatrixReport, name: String) {
        run = HistoryRun(
            directory: name, startedAt: report.startedAt, durationSeconds: report.durationSeconds,
            isFinished: report.isFinished, passed: report.passed, failed: report.failed,
            flaky: report.flaky, notRun: report.notRun)
        command = report.command
        digest = report.digest
        var cells: [String: [CellReport]] = [:]
        for cell in report.cells where cell.status != .notRun {
            if cells[cell.rowName] == nil { names.append(cell.rowName) }
            cells[cell.rowName, default: []].append(cell)
            count(cell, isTolerated: report.tolerates(cell))
        }
        points = cells.mapValues(Self.point)
        for (profile, expectations) in report.specification.expectations {
            budgets[profile] =
                [
                    expectations.duration.map { .duration($0) },
                    expectations.transferred.map { .transferred($0) },
                    expectations.requests.flatMap { expectation in
                        guard case .count(let side, let limit) = expectation else { return nil }
                        return .requests(side, limit)
                    },
                ].compactMap(\.self)
        }
    }

    /// Whether this is another copy of the same report.
    func isSame(as other: ReportSummary) -> Bool {
        run.startedAt == other.run.startedAt && digest == other.digest
            && run.passed == other.run.passed && run.failed == other.run.failed
            && run.durationSeconds == other.run.durationSeconds
    }

    private static func point(of cells: [CellReport]) -> ProfileHistory.Point {
        let ran = cells.filter(\.hasRun)
        return ProfileHistory.Point(
            passed: cells.count { $0.status == .passed }, failed: cells.count(where: \.isFailure),
            missing: cells.count { $0.status == .missing },
            flaky: cells.count(where: \.isFlaky), seconds: ran.map(\.durationSeconds).median,
            baselineSeconds: cells.lazy.compactMap(\.baselineSeconds).first,
            transferredBytes: ran.compactMap { $0.statistics.map { Double($0.transferredBytes) } }
                .median,
            requests: ran.compactMap { $0.statistics?.requests.map { Double($0) } }.median)
    }

    private mutating func count(_ cell: CellReport, isTolerated: Bool) {
        for test in cell.tests ?? [] where test.status != .skipped {
            let key = TestHistory.Key(suite: test.suite, name: test.name, profile: cell.rowName)
            var point = tests[key] ?? TestHistory.Point()
            if !test.isFailure {
                point.passed += 1
            } else if !isTolerated {
                point.failed += 1
                point.message = point.message ?? test.message
            }
            // A test that failed in an attempt before.
            let before = cell.earlierAttempts.lazy.flatMap { $0.tests ?? [] }
            let failedBefore =
                !test.isFailure
                && before.contains {
                    $0.isFailure && $0.name == test.name && $0.suite == test.suite
                }
            if test.isFlaky || failedBefore { point.flaky += 1 }
            tests[key] = point
        }
    }
}
