import Bisection
import LinuxKernel

/// What linkcond bisect prints.
enum BisectText {
    static func page(_ report: BisectionReport, isStyled: Bool) -> String {
        var table = Table([
            Table.Column(title: report.request.quantity, isRight: true), .right("passed"),
            .right("failed"), .right("passing, 95%"), "0%       passing 100%", "verdict",
        ])
        for point in report.points {
            table.add([
                point.value.text, "\(point.passed)", "\(point.failed)",
                "\(percent(point.lowRatio)) to \(percent(point.highRatio))",
                point.bar(width: barWidth), point.verdict ?? "",
            ])
        }
        var lines = [report.sentence, "", table.text(isStyled: isStyled)]
        for (name, replay) in [
            ("passing", report.nearestPassing), ("failing", report.nearestFailing),
        ] {
            guard let replay else { continue }
            let seed = replay.seed.map { ", seed \($0)" } ?? ""
            lines.append("The nearest \(name) run: \(replay.value.text)\(seed)")
            if let command = replay.command { lines.append("  \(ShellWord.line(command))") }
        }
        lines += [""] + report.remarks.map { "note: \($0)" }
        return lines.joined(separator: "\n")
    }

    /// As wide as its title.
    private static let barWidth = 21

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded()))%" }
}
