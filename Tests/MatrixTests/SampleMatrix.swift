import Foundation
import LinkModel
import Recording

@testable import Matrix

/// Matrices and reports for tests.
enum SampleMatrix {
    static func specification(
        _ profiles: [String] = ["LTE", "3G"], repetitions: Int = 1
    ) -> MatrixSpecification {
        var specification = MatrixSpecification(profiles: profiles, seed: 7)
        specification.repetitions = repetitions
        return specification
    }

    /// A matrix in a directory, and the result of one of its cells.
    static func record(_ specification: MatrixSpecification = specification()) -> MatrixRecord {
        MatrixRecord(
            command: ["true"], specification: specification, planned: specification.cells,
            own: specification.cells)
    }

    /// A matrix whose cells several workers share.
    static func queue(_ specification: MatrixSpecification = specification()) -> MatrixRecord {
        MatrixRecord(
            command: ["true"], specification: specification, planned: specification.cells,
            own: specification.cells, lease: .seconds(60))
    }

    static func result(
        _ id: String, of record: MatrixRecord, claim: Int = 1, kind: String = "2 x fast",
        status: CellReport.Status = .passed, seconds: Double = 1
    ) -> CellRecord {
        let whole = report(record.specification, statuses: [id: status], seconds: seconds)
        return CellRecord(
            whole.cells.first { $0.id == id } ?? whole.cells[0], digest: record.digest,
            claim: claim, machine: whole.machine, machineKind: kind,
            startedAt: record.startedAt + 5)
    }

    /// A cell's traffic with so many requests.
    static func statistics(requests: UInt64?) -> CellStatistics {
        var link = LinkStatistics(
            backend: .engine, seed: nil, duration: .seconds(1), isFaithful: true,
            counters: LinkCounters(up: DirectionCounters(), down: DirectionCounters()))
        link.requests = requests
        return CellStatistics(link)
    }

    /// A report in which the cells have ended as `statuses` says, by their names, else passed.
    static func report(
        _ specification: MatrixSpecification, cells: [Cell]? = nil,
        statuses: [String: CellReport.Status] = [:], seconds: Double = 1,
        change: (inout CellReport) -> Void = { _ in }
    ) -> MatrixReport {
        let reports = (cells ?? specification.cells).map { cell in
            var report = CellReport(
                id: cell.id, profile: cell.profile, repetition: cell.repetition,
                isBaseline: cell.isBaseline, conditions: ConditionSummary(down: "a", up: "b"),
                seed: cell.seed, reproduce: ["linkcond", "run", cell.profile, "--", "true"])
            report.status = statuses[cell.id] ?? .passed
            report.durationSeconds = seconds
            report.log = LogFile(path: "logs/\(cell.id).log", printedBytes: 1, omittedBytes: 0)
            change(&report)
            return report
        }
        return MatrixReport(
            command: ["true"], specification: specification,
            startedAt: Date(timeIntervalSince1970: 1_800_000_000), durationSeconds: seconds,
            isFinished: true,
            machine: MatrixReport.Machine(kernel: "6.1", processors: 2, jobs: 2), cells: reports)
    }
}
