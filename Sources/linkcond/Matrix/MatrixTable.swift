import LinkModel
import LinkUnits
import Matrix
import Recording

/// The results of a matrix, for people.
enum MatrixTable {
    static func text(_ report: MatrixReport, isStyled: Bool) -> String {
        var table = Table([
            "CELL", "STATUS", .right("TIME"), .right("X BASELINE"), .right("DOWN"), .right("UP"),
            .right("LOST"), "WHY",
        ])
        for cell in report.cells {
            table.add([
                cell.id, cell.status.rawValue + (cell.isFlaky ? " (flaky)" : ""),
                cell.hasRun ? cell.durationSeconds.secondsText : "-",
                ratio(cell), bytes(cell.statistics?.down.bytes), bytes(cell.statistics?.up.bytes),
                cell.missingPackets.map { "\($0)" } ?? "-", cell.problem ?? "",
            ])
        }
        return table.text(isStyled: isStyled) + "\n" + verdict(report) + "\n"
    }

    /// `5 passed (1 flaky), 1 failed, 2 not run in 12.3 s`.
    static func verdict(_ report: MatrixReport) -> String {
        var text = "\(report.passed) passed"
        if report.flaky > 0 { text += " (\(report.flaky) flaky)" }
        text += ", \(report.failed) failed"
        if report.notRun > 0 { text += ", \(report.notRun) not run" }
        return text + " in \(report.durationSeconds.secondsText)"
    }

    private static func ratio(_ cell: CellReport) -> String {
        guard !cell.isBaseline, cell.status == .passed || cell.status == .failed,
            let baseline = cell.baselineSeconds, baseline > 0
        else { return "-" }
        return (cell.durationSeconds / baseline).shortText
    }

    private static func bytes(_ count: ByteCount?) -> String {
        count?.decimalText ?? "-"
    }
}
