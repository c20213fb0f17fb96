import FoundationEssentials
import Recording

/// `report.html`: the matrix at a glance and a page for each cell, in one file that loads nothing;
/// with many cells, their pages are in files beside it (see `CellLinks`).
///
/// Theory of operation. Everything is in the document from the start. The page of a cell is shown
/// when it is the target of the URL, so links, the back button and the keyboard work without
/// scripts, which some CI engines block. The script adds conveniences: a filter, an order, values
/// under the pointer, copying a command. A policy in the document blocks any other script, in case
/// part of a log ever escapes its element.
struct PageReport {
    let report: MatrixReport
    /// In the order of the cells.
    let attachments: [CellAttachments]

    /// The Content Security Policy: it allows only `report.js`, identified by its SHA-256.
    static let policy = String(decoding: EmbeddedFiles.policy_txt, as: UTF8.self)
    static let script = String(decoding: EmbeddedFiles.report_js, as: UTF8.self)
    private static let style = String(decoding: EmbeddedFiles.report_css, as: UTF8.self)

    var links: CellLinks { CellLinks(count: report.cells.count) }

    /// The document.
    var html: String {
        let cells = links.isSplit ? [] : Array(report.cells.indices)
        return Self.document(
            title: title, icon: icon, extraStyle: style,
            body: """
                \(Overview(report: report, attachments: attachments).markup)
                \(pages(cells, in: .main))
                """)
    }

    /// The text of a file in `pages/`, from 0.
    func page(_ file: Int) -> String {
        let cells = Array(links.cells(in: file))
        let first = (cells.first ?? 0) + 1
        let last = first + cells.count - 1
        let names = cells.map { index -> Markup in
            let cell = report.cells[index]
            let style = StatusIcon.name(of: cell)
            return """
                <li class="\(style)">\(StatusIcon.markup(style))\
                <a href="#cell-\(index + 1)">\(cell.id)</a>: \(StatusIcon.word(of: cell))</li>

                """
        }
        return Self.document(
            title: "cells \(first) to \(last): \(title)", icon: icon, extraStyle: style,
            body: """
                <div class="overview">
                <p><a class="back" href="../report.html#matrix">← Matrix</a></p>
                <h1>Cells \(first) to \(last) of \(report.cells.count)</h1>
                <ul class="names">\(names)</ul>
                </div>
                \(pages(cells, in: .file(file)))
                """)
    }

    private func pages(_ cells: [Int], in document: CellLinks.Document) -> Markup {
        let pages = cells.map {
            CellPage(report: report, index: $0, attachments: attachments[$0], document: document)
                .markup
        }
        return "<div class=\"pages\">\n\(pages)</div>"
    }

    /// A document with the style, the script and the policy of reports.
    static func document(
        title: String, icon: Markup, extraStyle: Markup, body: Markup
    ) -> String {
        let document: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(Markup(trusted: policy))">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="generator" content="linkcond matrix">
            <title>\(title)</title>
            <link rel="icon" href="data:image/svg+xml,\(icon)">
            <style>
            \(Markup(trusted: style))\(extraStyle)</style>
            </head>
            <body>
            \(StatusIcon.symbols)
            <main>
            \(body)
            </main>
            <script>\(Markup(trusted: script))</script>
            </body>
            </html>

            """
        return document.description
    }

    private var style: Markup {
        let hasTimelines = report.cells.contains { $0.timeline != nil }
        return hasTimelines ? Markup(trusted: Drawing.style) : ""
    }

    private var title: String {
        let verdict = report.isSuccess ? "passed" : report.failed > 0 ? "failed" : "not finished"
        return "\(verdict): \(report.command.joined(separator: " ")) - linkcond matrix"
    }

    private var icon: Markup { Self.icon(isSuccess: report.isSuccess) }

    /// A disc in the colour of the result, as the browser tab's icon.
    static func icon(isSuccess: Bool) -> Markup {
        let color: Markup = isSuccess ? "%231a7f37" : "%23c62828"
        return """
            %3Csvg xmlns=%27http://www.w3.org/2000/svg%27 viewBox=%270 0 16 16%27%3E\
            %3Ccircle cx=%278%27 cy=%278%27 r=%277%27 fill=%27\(color)%27/%3E%3C/svg%3E
            """
    }
}

extension Date {
    /// `2026-11-21 20:30:00 UTC`.
    var reportText: String {
        formatted(
            .iso8601.year().month().day().dateTimeSeparator(.space).time(
                includingFractionalSeconds: false)) + " UTC"
    }
}

/// The icon of a status. It always accompanies a word, or has one for screen readers.
enum StatusIcon {
    /// The CSS class for a cell.
    static func name(of cell: CellReport) -> Markup {
        cell.isFlaky ? "flaky" : Markup(trusted: cell.status.rawValue)
    }

    /// The word for a cell.
    static func word(of cell: CellReport) -> String {
        switch cell.status {
        case .passed: cell.isFlaky ? "flaky" : "passed"
        case .failed: "failed"
        case .timedOut: "timed out"
        case .error: "error"
        case .notRun: "not run"
        case .missing: "missing"
        }
    }

    static func markup(_ name: Markup) -> Markup {
        "<svg class=\"icon\" aria-hidden=\"true\"><use href=\"#i-\(name)\"/></svg>"
    }

    /// The drawings, included once per document.
    static let symbols: Markup = """
        <svg width="0" height="0" class="symbols" aria-hidden="true">\
        <symbol id="i-passed" viewBox="0 0 16 16"><path d="M3 8.5l3.2 3.2L13 4.8"/></symbol>\
        <symbol id="i-failed" viewBox="0 0 16 16"><path d="M4 4l8 8M12 4l-8 8"/></symbol>\
        <symbol id="i-flaky" viewBox="0 0 16 16">\
        <path d="M2 9.5c1.7-4 3.6-4 6-1.5s4.3 2.5 6-1.5"/></symbol>\
        <symbol id="i-timed-out" viewBox="0 0 16 16">\
        <path d="M8 4.5V8l2.4 1.6"/><circle cx="8" cy="8" r="6"/></symbol>\
        <symbol id="i-error" viewBox="0 0 16 16"><path d="M8 2.8v6.4M8 12.4v.7"/></symbol>\
        <symbol id="i-not-run" viewBox="0 0 16 16"><path d="M4.5 8h7"/></symbol>\
        <symbol id="i-missing" viewBox="0 0 16 16"><path d="M4 8h1M7.5 8h1M11 8h1"/></symbol>\
        </svg>
        """
}
