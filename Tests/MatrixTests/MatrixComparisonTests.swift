import LinkTesting
import LinkUnits
import Testing

@testable import Matrix

@Suite("Comparison of reports", .tags(.unit))
struct MatrixComparisonTests {
    /// Cells of these profiles, each repeated as often as it has results.
    private static func report(
        _ results: [(profile: String, [(CellReport.Status, seconds: Double)])],
        tests: [(profile: String, name: String, [TestReport.Status])] = [],
        requests: [UInt64] = []
    ) -> MatrixReport {
        var specification = SampleMatrix.specification(
            results.map(\.profile), repetitions: results.map(\.1.count).max() ?? 1)
        specification.hasBaseline = false
        let report = SampleMatrix.report(specification)
        let cells = report.cells.map { cell in
            var cell = cell
            let all = results.first { $0.profile == cell.profile }?.1 ?? []
            let result = all[(cell.repetition - 1) % all.count]
            (cell.status, cell.durationSeconds) = (result.0, result.seconds)
            if !requests.isEmpty {
                cell.statistics = SampleMatrix.statistics(requests: requests[cell.repetition - 1])
            }
            cell.problem = result.0 == .failed ? "exit code 1" : nil
            cell.tests = tests.filter { $0.profile == cell.profile }.map {
                TestReport(
                    suite: "api", name: $0.name, status: $0.2[(cell.repetition - 1) % $0.2.count],
                    message: "no <answer>")
            }
            return cell
        }
        return MatrixReport(
            command: report.command, specification: specification, startedAt: report.startedAt,
            durationSeconds: 1, isFinished: true, machine: report.machine, cells: cells)
    }

    private static func comparison(
        _ before: MatrixReport, _ after: MatrixReport, rules: String = "new-failures"
    ) throws -> MatrixComparison {
        var comparison = MatrixComparison(before, named: "a", with: after, named: "b")
        comparison.judge(by: try ComparisonRule.parse(rules))
        return comparison
    }

    private static let passed = (CellReport.Status.passed, seconds: 1.0)
    private static let failed = (CellReport.Status.failed, seconds: 1.0)

    @Test func `what fails, is fixed or is flaky is told apart`() throws {
        let comparison = try Self.comparison(
            Self.report(
                [
                    ("LTE", [Self.passed, Self.passed]), ("3G", [Self.failed, Self.failed]),
                    ("Edge", [Self.passed, Self.passed]), ("DSL", [Self.failed, Self.failed]),
                ], tests: [("LTE", "login", [.passed]), ("LTE", "gone", [.passed])]),
            Self.report(
                [
                    ("LTE", [Self.failed, Self.failed]), ("3G", [Self.passed, Self.passed]),
                    ("Edge", [Self.passed, Self.failed]), ("DSL", [Self.failed, Self.failed]),
                ], tests: [("LTE", "login", [.failed]), ("LTE", "new", [.passed])]))
        #expect(
            comparison.cells.map(\.change) == [.newlyFailing, .fixed, .newlyFlaky, .stillFailing])
        #expect(
            comparison.tests.map(\.name) == ["LTE: api.login", "LTE: api.new", "LTE: api.gone"])
        #expect(comparison.tests.map(\.change) == [.newlyFailing, .added, .removed])
        #expect(
            comparison.regressions == [
                "LTE fails: exit code 1", "LTE: api.login fails: no <answer>",
            ])
        #expect(
            comparison.text.contains("Newly flaky\n  Edge (2 passed before; 1 passed, 1 failed"))
        #expect(comparison.text.hasSuffix("2 regressions; 4 cells and 3 tests compared\n"))
        #expect(comparison.markdown.contains("❌") && comparison.markdown.contains("&lt;answer&gt;"))
    }

    @Test func `a lost machine's cells are regressions, and another flaky one is if asked for`()
        throws
    {
        let before = Self.report([("LTE", [Self.passed]), ("3G", [Self.passed])])
        let after = Self.report([
            ("LTE", [(.missing, seconds: 0)]), ("3G", [Self.passed, Self.failed]),
        ])
        let lenient = try Self.comparison(before, after)
        #expect(lenient.regressions == ["LTE has no result any more"])
        #expect(lenient.notes.contains { $0.hasPrefix("the matrices differ: ") })
        let strict = try Self.comparison(before, after, rules: "new-failures,new-flaky")
        #expect(strict.regressions == ["LTE has no result any more", "3G is flaky"])
    }

    @Test func `only what chance does not explain is slower`() throws {
        func durations(_ seconds: [Double]) -> [(CellReport.Status, seconds: Double)] {
            seconds.map { (.passed, seconds: $0) }
        }
        let before = Self.report([
            ("LTE", durations([1.0, 1.1, 1.2, 1.05, 1.15, 1.01])),
            ("3G", durations([1.0, 2.1, 1.2, 2.05, 1.15, 3.01])),
        ])
        let after = Self.report([
            ("LTE", durations([1.5, 1.7, 1.6, 1.55, 1.65, 1.58])),
            ("3G", durations([1.9, 1.1, 3.2, 2.0, 1.6, 2.5])),
        ])
        let comparison = try Self.comparison(before, after, rules: "slower:20%")
        #expect(comparison.cells.map { $0.growth.first?.verdict } == [.greater, .same])
        #expect(comparison.regressions.count == 1)
        #expect(comparison.regressions.first?.hasPrefix("LTE takes x 1.4") == true)
        #expect(try Self.comparison(before, after, rules: "slower:60%").regressions.isEmpty)
        #expect(
            try Self.comparison(after, before, rules: "slower:20%").regressions.isEmpty, "faster")
    }

    @Test func `more requests are found, and are a regression if asked for`() throws {
        let all = [("LTE", Array(repeating: Self.passed, count: 6))]
        let before = Self.report(all, requests: [9, 9, 10, 9, 9, 9])
        let after = Self.report(all, requests: [18, 18, 18, 19, 18, 18])
        let comparison = try Self.comparison(before, after, rules: "more-requests:50%")
        #expect(comparison.regressions == ["LTE makes x 2 as many requests (9 before, 18 after)"])
        #expect(
            try Self.comparison(before, after, rules: "more-requests:150%").regressions.isEmpty)
    }

    @Test func `with few repetitions nothing is slower, and that is said`() throws {
        let comparison = try Self.comparison(
            Self.report([("LTE", [Self.passed])]),
            Self.report([("LTE", [(.passed, seconds: 10)])]), rules: "slower:20%")
        #expect(comparison.regressions.isEmpty)
        #expect(comparison.text.contains("1 of 1 cells have fewer than 4 durations"))
    }

    @Test(arguments: [
        "", "slower:", "slower:20", "slower:-1%", "slower:nan%", "new-failures,", "x",
        "more-requests:2",
    ])
    func `a wrong rule is refused`(text: String) {
        #expect(throws: QuantityError.self) { try ComparisonRule.parse(text) }
    }

    @Test func `nothing changed is nothing to say`() throws {
        let report = Self.report([("LTE", [Self.passed])])
        let comparison = try Self.comparison(report, report)
        #expect(comparison.cells.map(\.change) == [nil])
        #expect(comparison.regressions.isEmpty && comparison.markdown.hasPrefix("## ✅"))
    }

    @Test func `cells that are lost among repetitions, or with a part, are regressions`() throws {
        let whole = Self.report([
            ("LTE", [Self.passed, Self.passed]), ("3G", [Self.passed, Self.passed]),
        ])
        var cells = whole.cells
        cells[1].status = .missing
        let lost = MatrixReport(
            command: whole.command, specification: whole.specification,
            startedAt: whole.startedAt, durationSeconds: 1, isFinished: true,
            machine: whole.machine, cells: Array(cells.prefix(2)))
        let comparison = try Self.comparison(whole, lost)
        #expect(comparison.cells.map(\.change) == [.newlyMissing, .newlyMissing])
        #expect(
            comparison.regressions == [
                "3G has no result any more", "LTE has no result any more",
            ])
        let back = try Self.comparison(lost, whole)
        #expect(back.cells.map(\.change) == [nil, .added])
        #expect(back.regressions.isEmpty)
    }

    @Test func `tests that do not run any more are told from those that are gone`() throws {
        let before = Self.report(
            [("LTE", [Self.passed]), ("3G", [Self.passed])],
            tests: [
                ("LTE", "login", [.passed]), ("LTE", "later", [.passed]),
                ("3G", "login", [.passed]),
            ])
        // The command under 3G ended before it wrote results, though with 0.
        let after = Self.report(
            [("LTE", [Self.passed]), ("3G", [Self.passed])], tests: [("LTE", "login", [.skipped])])
        let comparison = try Self.comparison(before, after)
        #expect(
            comparison.tests.map(\.name) == ["LTE: api.login", "3G: api.login", "LTE: api.later"])
        #expect(comparison.tests.map(\.change) == [.newlySkipped, .newlyMissing, .removed])
        #expect(comparison.regressions == ["3G: api.login has no result any more"])
        #expect(
            comparison.text.contains("Skipped now\n  LTE: api.login (1 passed before; 1 skipped"))
    }
}
