import Foundation
import LinkUnits

@testable import Matrix

extension SampleReport {
    /// The sample on twelve days: 3G becomes slower than its budget, and high-loss is flaky.
    static var history: MatrixHistory {
        let whole = report
        let summaries = (0..<12).map { day -> ReportSummary in
            var specification = whole.specification
            specification.expectations["3G"] = Expectations(
                duration: try? DurationExpectation(parsing: "at most 5 x baseline"))
            let cells = whole.cells.enumerated().map { index, cell -> CellReport in
                var cell = cell
                var collected = CollectedTests()
                collected.suites = attachments[index].tests.suites
                cell.list(collected)
                let wave = 1 + 0.08 * sin(Double(day) * 2.1 + Double(index))
                cell.durationSeconds *= cell.profile == "3G" ? 0.8 + Double(day) * 0.06 : wave
                if cell.profile == "high-loss", day % 3 == 0 {
                    cell.status = .passed
                    cell.tests = nil
                }
                return cell
            }
            var report = MatrixReport(
                command: command, specification: specification, startedAt: startedAt,
                durationSeconds: 150 + Double(day), isFinished: true, machine: whole.machine,
                cells: cells)
            report.startedAt += Double(day) * 86_400
            return ReportSummary(report, name: "reports/\(day + 1)")
        }
        return MatrixHistory(
            summaries, notes: ["left out: reports/13/report.json: not a report of linkcond matrix"])
    }
}
