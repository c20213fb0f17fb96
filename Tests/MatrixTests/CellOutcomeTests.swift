import LinkModel
import LinkTesting
import LinkUnits
import Recording
import Testing

@testable import Matrix

@Suite("Outcome of a cell", .tags(.unit))
struct CellOutcomeTests {
    /// A cell of LTE, and the report of it before anything is known.
    private static func cell(
        _ expectations: Expectations = Expectations(), limit: Duration? = nil
    ) -> (Cell, CellReport) {
        var specification = SampleMatrix.specification(["LTE"])
        specification.expectations["LTE"] = expectations
        specification.timeLimits = TimeLimits(limit)
        var report = SampleMatrix.report(specification).cells[1]
        report.status = .notRun
        return (specification.cells[1], report)
    }

    private static func outcome(exitCode: Int32, bytes: UInt64 = 0) -> CellOutcome {
        let way = DirectionCounters(packets: 1, bytes: ByteCount(bytes: bytes))
        var outcome = CellOutcome()
        outcome.exitCode = exitCode
        outcome.statistics = LinkStatistics(
            backend: .engine, seed: 9, duration: .seconds(4), isFaithful: false,
            counters: LinkCounters(up: way, down: way).averaged(over: .seconds(4)))
        outcome.notes = ["a note"]
        return outcome
    }

    @Test(
        arguments: [
            (nil, 0, CellReport.Status.passed, nil), (nil, 3, .failed, "exit code 3"),
            (ExitExpectation.nonzero, 3, .passed, nil),
            (.nonzero, 0, .failed, "exit code 0; expected exit: nonzero"),
            (.code(3), 3, .passed, nil),
        ] as [(ExitExpectation?, Int32, CellReport.Status, String?)])
    func `the exit code decides, as it was expected`(
        expected: ExitExpectation?, exitCode: Int32, status: CellReport.Status, problem: String?
    ) {
        let (cell, before) = Self.cell(Expectations(exit: expected))
        var report = before
        report.conclude(Self.outcome(exitCode: exitCode), of: cell, baselineSeconds: 2)
        #expect(report.status == status)
        #expect(report.problem == problem)
        #expect(report.exitCode == exitCode)
        #expect(report.durationSeconds == 4)
        #expect(report.seed == 9)
        #expect(report.statistics?.isFaithful == false)
        #expect(report.notes == ["a note"])
    }

    private static let end = "the command ended with 0"

    @Test(
        arguments: [
            (nil, 0, 3, CellReport.Status.failed, "3 tests failed, though \(end)"),
            (nil, 0, 1, .failed, "1 test failed, though \(end)"),
            (nil, 0, 0, .passed, nil), (nil, 1, 3, .failed, "exit code 1"),
            (ExitExpectation.nonzero, 1, 3, .passed, nil),
        ] as [(ExitExpectation?, Int32, Int, CellReport.Status, String?)])
    func `failed tests fail a cell, whose exit code may be that of a pipe`(
        expected: ExitExpectation?, exitCode: Int32, failures: Int, status: CellReport.Status,
        problem: String?
    ) {
        let (cell, before) = Self.cell(Expectations(exit: expected))
        var report = before
        report.conclude(Self.outcome(exitCode: exitCode), of: cell, baselineSeconds: nil)
        var tests = CollectedTests()
        tests.suites = [JUnitSuite(name: "suite")]
        tests.suites[0].cases = (0..<4).map { number in
            var test = JUnitCase(name: "\(number)")
            if number < failures {
                test.outcomes = [JUnitCase.Outcome(kind: number == 0 ? .error : .failure)]
            }
            return test
        }
        report.expectNoFailures(in: tests)
        #expect(report.status == status)
        #expect(report.problem == problem)
    }

    @Test func `time and bytes are judged as well, and every miss is named`() throws {
        let (cell, before) = Self.cell(
            Expectations(
                duration: try DurationExpectation(parsing: "at most 1.5 x baseline"),
                transferred: try TransferExpectation(parsing: "at most 1 MB")))
        var report = before
        report.conclude(
            Self.outcome(exitCode: 0, bytes: 600_000), of: cell, baselineSeconds: 2)
        #expect(report.status == .failed)
        #expect(
            report.problem == "2 x baseline (4 s); expected duration: at most 1.5 x baseline; "
                + "1.2 MB; expected transferred: at most 1 MB")
        #expect(report.expectations.count == 2)
        report.conclude(
            Self.outcome(exitCode: 0, bytes: 400_000), of: cell, baselineSeconds: 3)
        #expect(report.status == .passed)
        // What fails by its exit code fails, whatever else is expected.
        report.conclude(Self.outcome(exitCode: 1, bytes: 1), of: cell, baselineSeconds: 9)
        #expect(report.status == .failed)
        #expect(report.problem == "exit code 1")
    }

    @Test func `too long is too long, and not an exit code`() {
        let (cell, before) = Self.cell(Expectations(exit: .nonzero), limit: .seconds(300))
        var report = before
        var outcome = Self.outcome(exitCode: 124)
        outcome.isTimedOut = true
        report.conclude(outcome, of: cell, baselineSeconds: nil)
        #expect(report.status == .timedOut)
        #expect(report.exitCode == nil)
        #expect(report.problem == "ran longer than 300 s and was ended")
    }

    @Test func `what could not be run is an error`() throws {
        let (cell, before) = Self.cell()
        var report = before
        var outcome = CellOutcome()
        outcome.problem = "no-such: command not found"
        report.conclude(outcome, of: cell, baselineSeconds: nil)
        #expect(report.status == .error)
        #expect(report.problem == "no-such: command not found")
        #expect(report.isFailure)
    }

    @Test func `an outcome is the same when it is read`() throws {
        let outcome = Self.outcome(exitCode: 5, bytes: 77)
        let json = try outcome.json()
        #expect(CellOutcome(json: Array(json.utf8)) == outcome)
        #expect(CellOutcome(json: Array(json.utf8.dropLast(5))) == nil)
        #expect(CellOutcome(json: []) == nil)
    }

    @Test func `another attempt keeps what was and knows nothing else`() {
        let (cell, before) = Self.cell()
        var report = before
        report.conclude(Self.outcome(exitCode: 3), of: cell, baselineSeconds: nil)
        let failed = AttemptReport(report)
        report.beginAgain()
        #expect(report.earlierAttempts == [failed])
        #expect(report.status == .notRun)
        #expect(report.problem == nil && report.statistics == nil && report.notes.isEmpty)
        #expect(failed.status == .failed && failed.exitCode == 3 && failed.seed == 9)
    }
}
