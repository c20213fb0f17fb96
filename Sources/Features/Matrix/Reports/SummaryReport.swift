import LinkUnits
import Recording

/// `summary.md`: the matrix at a glance, for the summary of a GitHub job or a merge request.
struct SummaryReport {
    let report: MatrixReport
    /// In the order of the cells.
    let attachments: [CellAttachments]

    /// GitHub shows no summary above 1 MiB, and nobody reads that much.
    private static let rowLimit = 200
    private static let logLimit = 20
    private static let logLines = 30
    private static let failureLimit = 5
    private static let logCharacters = 8000

    /// The text in GitHub's Markdown dialect.
    var markdown: String {
        var parts = [heading]
        if !report.notes.isEmpty {
            let notes = report.notes.map { "> \($0.asMarkdown)" }.joined(separator: "\n>\n")
            parts.append("> [!WARNING]\n\(notes)")
        }
        parts.append(table)
        let failed = zip(report.cells, attachments).filter { $0.0.isFailure }
        parts += failed.prefix(Self.logLimit).map(details)
        if failed.count > Self.logLimit {
            parts.append(
                "The logs of \(failed.count - Self.logLimit) more failed cells are in report.html.")
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private var heading: String {
        var sentence = "\(report.passed) passed"
        if report.flaky > 0 { sentence += " (\(report.flaky) flaky)" }
        if report.failed > 0 { sentence += ", \(report.failed) failed" }
        if report.notRun > 0 { sentence += ", \(report.notRun) not run" }
        let mark = report.isSuccess ? "✅" : "❌"
        let shard = report.shard.map { ", shard \($0.index) of \($0.count)" } ?? ""
        return """
            ## \(mark) linkcond matrix: \(sentence)

            \(report.command.shellText.asMarkdownCode) in \(report.cells.count) \
            cell\(report.cells.count == 1 ? "" : "s")\(shard), \
            \(report.durationSeconds.secondsText) in all\(report.isFinished ? "" : ", not finished")
            """
    }

    // MARK: Table

    private var table: String {
        // Failed cells must be among the rows shown.
        let sorted =
            report.cells.filter(\.isFailure) + report.cells.filter { !$0.isFailure }
        let shown = report.cells.count > Self.rowLimit ? sorted : report.cells
        let rows = shown.prefix(Self.rowLimit).map(row)
        var text = """
            | | Cell | Duration | Baseline | Transferred | Dropped, lost | Result |
            |---|---|--:|--:|--:|--:|---|
            \(rows.joined(separator: "\n"))
            """
        if shown.count > Self.rowLimit {
            text += "\n\n\(shown.count - Self.rowLimit) more cells are in report.html."
        }
        return text
    }

    private func row(_ cell: CellReport) -> String {
        // One array of optionals and texts together would take the compiler many seconds.
        let duration = cell.hasRun ? cell.durationSeconds.secondsText : ""
        let baseline = cell.baselineRatio.map { "× \($0.roundedText)" } ?? ""
        let transferred = cell.statistics.map {
            ByteCount(bytes: $0.transferredBytes).decimalText
        }
        let missing = cell.missingPackets.map(String.init) ?? ""
        let columns: [String] = [
            mark(of: cell), cell.id.asMarkdown, duration, baseline, transferred ?? "", missing,
            cell.verdict.asMarkdown,
        ]
        return "| \(columns.joined(separator: " | ")) |"
    }

    private func mark(of cell: CellReport) -> String {
        switch cell.status {
        case .passed: cell.isFlaky ? "⚠️" : "✅"
        case .failed: "❌"
        case .timedOut: "⏱️"
        case .error: "🛑"
        case .notRun: "⚪"
        case .missing: "❓"
        }
    }

    // MARK: Failed cells

    private func details(_ cell: CellReport, _ attachments: CellAttachments) -> String {
        let unmet = cell.expectations.filter { !$0.isMet }.map { "- \($0.sentence.asMarkdown)" }
        let failures = attachments.tests.failures.prefix(Self.failureLimit)
        let notes = (failures + cell.notes + attachments.tests.notes).map {
            "- \($0.asMarkdown)"
        }
        let log = attachments.log.map {
            String($0.lastLines(Self.logLines).suffix(Self.logCharacters))
        }
        let summary: Markup = """
            <details><summary><b>\(cell.id)</b>: \(cell.verdict.singleLine)</summary>
            """
        // Blank lines do not end <pre>: CommonMark 0.31, section 4.6, type 1.
        let pieces: [String?] = [
            summary.description,
            (unmet + notes).isEmpty ? nil : (unmet + notes).joined(separator: "\n"),
            "Run it again:",
            Self.preformatted(cell.reproduce.shellText),
            log.map { "The end of the log:\n\n\(Self.preformatted($0))" },
            "</details>",
        ]
        return pieces.compactMap(\.self).joined(separator: "\n\n")
    }

    private static func preformatted(_ text: String) -> String {
        let markup: Markup = "<pre>\(text)</pre>"
        return markup.description
    }
}

extension String {
    /// The text on one line.
    var singleLine: String {
        split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// The text on one line, with Markdown and HTML escaped.
    var asMarkdown: String {
        // GitHub tells everyone who is named so, even in a comment that a job writes.
        Self.withoutMarkdown(Markup(escaping: singleLine)).replacing("@", with: "@\u{200B}")
    }

    /// The text on one line, as code.
    fileprivate var asMarkdownCode: String {
        Self.withoutMarkdown("<code>\(singleLine)</code>")
    }

    /// Markdown still applies between HTML tags on a line.
    private static func withoutMarkdown(_ markup: Markup) -> String {
        markup.description.unicodeScalars.reduce(into: "") { text, scalar in
            if "\\`*_[]|~".unicodeScalars.contains(scalar) { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
    }
}
