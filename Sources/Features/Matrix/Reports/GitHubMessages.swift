import LinkModel
import Recording

/// Messages about failed cells for the page of a GitHub job: workflow commands, one per line.
struct GitHubMessages {
    let report: MatrixReport
    /// In the order of the cells.
    let attachments: [CellAttachments]

    /// GitHub shows ten of each kind per step.
    private static let limit = 10

    /// The lines to print.
    var lines: [String] {
        messages(
            "error", of: report.cells.filter(\.isFailure), rest: "cells failed; see report.html")
            + messages(
                "warning", of: report.cells.filter(\.isFlaky), rest: "cells are flaky")
            + report.notes.prefix(Self.limit).map {
                "::notice title=linkcond matrix::\(Self.escape($0))"
            }
    }

    private func messages(_ kind: String, of cells: [CellReport], rest: String) -> [String] {
        let isTooMany = cells.count > Self.limit
        var lines = cells.prefix(isTooMany ? Self.limit - 1 : Self.limit).map { cell in
            let lines =
                ["\(cell.verdict) (\(cell.durationSeconds.secondsText))"] + failures(within: cell)
                + ["run it again: \(cell.reproduce.shellText)"]
            let text = lines.joined(separator: "\n")
            let title = Self.escape("linkcond \(cell.id)", isProperty: true)
            return "::\(kind) title=\(title)::\(Self.escape(text))"
        }
        if isTooMany {
            lines.append(
                "::\(kind) title=linkcond matrix::\(cells.count - Self.limit + 1) more \(rest)")
        }
        return lines
    }

    /// The first failed tests of the cell's own JUnit files.
    private func failures(within cell: CellReport) -> [String] {
        guard cell.isFailure, let index = report.cells.firstIndex(where: { $0.id == cell.id })
        else {
            return []
        }
        return Array(attachments[index].tests.failures.prefix(3))
    }

    /// Escapes like GitHub's toolkit, so that the text stays on one line and property values end
    /// where they should.
    private static func escape(_ text: String, isProperty: Bool = false) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "%": escaped += "%25"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            case ":" where isProperty: escaped += "%3A"
            case "," where isProperty: escaped += "%2C"
            default: escaped.unicodeScalars.append(scalar.visible)
            }
        }
    }
}
