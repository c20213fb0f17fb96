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

    @Test func `the same cell twice is refused, and so are different commands, and nothing`() {
        let report = SampleMatrix.report(Self.specification)
        let twice = #expect(throws: MatrixError.self) { try Self.merge([report, report]) }
        #expect(twice?.description.contains("A/1 is in report 1 and in report 2") == true)
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
    }
}
