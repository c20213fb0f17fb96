import Foundation
import LinkModel
import LinkTesting
import Testing

@testable import Matrix

@Suite("Merged reports", .tags(.unit))
struct MergingTests {
    private static let specification = SampleMatrix.specification(["A", "B", "C"], repetitions: 2)

    private static func merge(_ parts: [MatrixReport]) throws(MatrixError) -> MatrixReport {
        try MatrixReport.merging(parts) { path, number in "\(number):\(path)" }
    }

    private static func parts(
        _ count: Int, statuses: [String: CellReport.Status] = [:]
    ) -> [MatrixReport] {
        Sharding(specification.cells, into: count).parts.map { cells in
            SampleMatrix.report(specification, cells: cells, statuses: statuses)
        }
    }

    @Test(arguments: [1, 2, 3, 6])
    func `parts are together what the whole would have been`(count: Int) throws {
        let statuses: [String: CellReport.Status] = ["A/2": .failed, "C/1": .timedOut]
        let whole = SampleMatrix.report(Self.specification, statuses: statuses)
        let merged = try MatrixReport.merging(
            Self.parts(count, statuses: statuses)
        ) { path, _ in path }
        #expect(merged == whole)
        #expect(merged.failed == 2 && merged.passed == 6)
    }

    @Test func `in whatever order they come`() throws {
        let merged = try Self.merge(Self.parts(3).reversed())
        #expect(merged.cells.map(\.id) == Self.specification.cells.map(\.id))
    }

    @Test func `files go where the caller says`() throws {
        let merged = try Self.merge(Self.parts(2))
        let logs = Dictionary(uniqueKeysWithValues: merged.cells.map { ($0.id, $0.log?.path) })
        #expect(logs["baseline/1"] == "0:logs/baseline/1.log")
        #expect(Set(logs.values.map { $0?.first }) == ["0", "1"])
    }

    @Test func `a cell that one part did not come to is another's`() throws {
        let first = SampleMatrix.report(Self.specification, statuses: ["A/1": .notRun])
        let second = SampleMatrix.report(
            Self.specification, cells: Self.specification.cells.filter { $0.id == "A/1" })
        let merged = try Self.merge([first, second])
        #expect(merged.isSuccess)
        #expect(try Self.merge([second, first]).isSuccess)
    }

    /// A report of one cell of `specification` that began some seconds after the others.
    private static func later(
        _ seconds: Double, _ id: String, _ status: CellReport.Status, shard: Shard? = nil
    ) -> MatrixReport {
        let cells = specification.cells.filter { $0.id == id }
        let report = SampleMatrix.report(specification, cells: cells, statuses: [id: status])
        return MatrixReport(
            command: report.command, specification: specification,
            startedAt: report.startedAt.addingTimeInterval(seconds), durationSeconds: 1,
            isFinished: status != .notRun, machine: report.machine, shard: shard, planned: cells,
            cells: report.cells)
    }

    @Test func `of a cell the newest result counts, in whatever order reports come`() throws {
        let original = SampleMatrix.report(
            Self.specification, statuses: ["A/1": .failed, "B/1": .failed, "C/1": .failed])
        let parts = [
            original, Self.later(0.25, "A/1", .passed), Self.later(2, "B/1", .timedOut),
            Self.later(1, "B/1", .passed), Self.later(3, "C/1", .notRun),
        ]
        for parts in [parts, parts.reversed()] {
            let merged = try MatrixReport.merging(parts) { path, _ in path }
            #expect(merged.cells.map(\.id) == Self.specification.cells.map(\.id))
            let failed = merged.cells.filter(\.isFailure)
            #expect(failed.map(\.id) == ["B/1", "C/1"])
            #expect(failed.map(\.status) == [.timedOut, .failed])
            // Merged once more, the times are still right.
            let again = try MatrixReport.merging(
                [merged, Self.later(1.5, "B/1", .passed)]
            ) { path, _ in path }
            #expect(again.cells == merged.cells)
        }
    }

    @Test func `an interrupted matrix and its rerun are a finished one`() throws {
        var interrupted = SampleMatrix.report(Self.specification, statuses: ["C/2": .notRun])
        interrupted.isFinished = false
        let alone = try Self.merge([interrupted])
        #expect(!alone.isFinished && !alone.isSuccess)
        let merged = try Self.merge([interrupted, Self.later(9, "C/2", .passed)])
        #expect(merged.isFinished && merged.isSuccess)
        let lost = try Self.merge([Self.later(0, "A/1", .passed), Self.parts(3)[0]])
        let missing = lost.cells.filter { $0.status == .missing }.map(\.id)
        let reruns = missing.map { Self.later(9, $0, .passed) }
        #expect(try Self.merge([lost] + reruns).isSuccess)
        #expect(try !Self.merge([lost] + reruns.dropLast()).isSuccess)
    }

    @Test func `no part's baseline hides that another's failed`() throws {
        let first = Self.later(1, "baseline/1", .failed, shard: Shard("1/2"))
        let second = Self.later(2, "baseline/1", .passed, shard: Shard("2/2"))
        #expect(try Self.merge([second, first]).failed == 1)
        let again = Self.later(3, "baseline/1", .passed, shard: Shard("1/2"))
        #expect(try Self.merge([again, second, first]).failed == 0)
    }

    @Test func `different commands are refused, and so is nothing`() {
        let report = SampleMatrix.report(Self.specification)
        var other = report
        other.command = ["false"]
        let different = #expect(throws: MatrixError.self) { try Self.merge([report, other]) }
        #expect(different?.description.contains("different commands: true and false") == true)
        #expect(throws: MatrixError.self) { try Self.merge([]) }
    }

    private static let differences: [(String, @Sendable (inout MatrixSpecification) -> Void)] = [
        ("seed is 7 in report 1 and 8 in report 2", { $0.seed = 8 }),
        (
            "network.settings is [] in report 1 and [down.loss=2%] in report 2",
            { $0.network.settings = ["down.loss=2%"] }
        ),
        (
            "timeLimits.seconds is not set in report 1 and 5 in report 2",
            { $0.timeLimits = TimeLimits(.seconds(5)) }
        ),
        (
            "expectations.A is not set in report 1 and {exit: nonzero} in report 2",
            { $0.expectations["A"] = Expectations(exit: .nonzero) }
        ),
        ("environment.TOKEN differs", { $0.environment["TOKEN"] = "secret" }),
    ]

    @Test(arguments: differences)
    func `parts of different matrices are refused, and the difference is named`(
        difference: String, change: @Sendable (inout MatrixSpecification) -> Void
    ) {
        var other = Self.specification
        change(&other)
        let parts = [
            SampleMatrix.report(Self.specification, cells: [Self.specification.cells[2]]),
            SampleMatrix.report(other, cells: [other.cells[4]]),
        ]
        let error = #expect(throws: MatrixError.self) { try Self.merge(parts) }
        #expect(error?.status == .usage)
        #expect(
            error?.description == "the reports are of different matrices: \(difference); merge "
                + "parts of the same")
        #expect(parts[0].digest != parts[1].digest)
    }

    @Test func `the cells of a lost machine are missing, and the whole fails`() throws {
        let parts = Self.parts(3)
        let merged = try Self.merge([parts[0], parts[2]])
        #expect(merged.cells.map(\.id) == Self.specification.cells.map(\.id))
        let missing = merged.cells.filter { $0.status == .missing }
        #expect(missing.map(\.id) == ["A/2", "C/1"])
        #expect(!merged.isSuccess && !merged.isFinished)
        #expect(merged.failed == 2 && merged.passed == 6)
        let seeds = Self.specification.cells.filter { ["A/2", "C/1"].contains($0.id) }.map(\.seed)
        #expect(missing.map(\.seed) == seeds)
        #expect(missing[0].conditions == merged.cells[2].conditions)
        #expect(missing[0].reproduce.prefix(3) == ["linkcond", "run", "A"])
        let junit = ReadableReports(merged, in: nil).text(of: .junit)
        #expect(junit.contains("errors=\"2\""))
        #expect(junit.contains("no report has its result"))
    }

    @Test func `of an older report, the specification says what is missing`() throws {
        let json = try Self.parts(3)[0].json()
        var older = try #require(
            JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        older["planned"] = nil
        older["digest"] = nil
        let report = try MatrixReport(json: JSONSerialization.data(withJSONObject: older))
        #expect(report.planned == nil && report.digest == nil)
        #expect(throws: Never.self) { try Self.merge([report, Self.parts(3)[1]]) }
        #expect(try Self.merge([report]).cells.count { $0.status == .missing } == 4)
    }

    @Test func `a part of some cells does not miss the others`() throws {
        let cells = Self.specification.cells.filter { $0.profile == "B" }
        let report = SampleMatrix.report(Self.specification, cells: cells)
        let again = MatrixReport(
            command: report.command, specification: report.specification,
            startedAt: report.startedAt, durationSeconds: 1, isFinished: true,
            machine: report.machine, planned: cells, cells: [report.cells[0]])
        let merged = try Self.merge([again])
        #expect(merged.cells.map(\.id) == ["B/1", "B/2"])
        #expect(merged.cells.map(\.status) == [.passed, .missing])
    }

    @Test func `a report is the same when it is read`() throws {
        let report = SampleMatrix.report(Self.specification, statuses: ["B/1": .error])
        #expect(try MatrixReport(json: report.json().utf8) == report)
        let later = Self.later(0.25, "A/1", .passed)
        #expect(try MatrixReport(json: later.json().utf8) == later, "with milliseconds")
    }
}
