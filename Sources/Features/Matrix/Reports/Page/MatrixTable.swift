import LinkUnits
import Recording

/// The matrix: a row for each profile, with an icon for each repetition that links to its page.
struct MatrixTable {
    let report: MatrixReport
    /// In the order of the cells.
    let attachments: [CellAttachments]
    let links: CellLinks

    /// The most signs of a row; more are in a list that is opened.
    private static let mostSigns = 24
    /// The most rows with a small plot of the throughput.
    private static let mostPlots = 500

    /// The cells of a profile.
    private struct Row {
        var name: String
        /// Indices in the report.
        var cells: [Int]
    }

    var markup: Markup {
        let rows = rows
        let longest = report.cells.map(\.durationSeconds).max() ?? 0
        return """
            <section aria-labelledby="profiles-name">
            <div class="head"><h2 id="profiles-name">Profiles</h2>
            <label class="sort" hidden>Sort by <select data-sort="profiles">\
            <option value="">the matrix</option><option value="-failed">failures</option>\
            <option value="name">name</option><option value="-seconds">slowest first</option>\
            <option value="-bytes">most transferred</option>\
            <option value="-lost">most lost</option></select></label></div>
            <table class="matrix" role="table" aria-label="Matrix: profiles and how their cells ended">
            <thead role="rowgroup"><tr role="row">\
            <th role="columnheader" scope="col">Profile</th>\
            <th role="columnheader" scope="col">Cells</th>\
            <th role="columnheader" scope="col">Duration <span class="key">│ baseline</span></th>\
            <th role="columnheader" scope="col">Throughput <span class="key down">down</span> <span class="key up">up</span></th>\
            <th role="columnheader" scope="col" class="number">Delay</th>\
            <th role="columnheader" scope="col" class="number">Transferred</th>\
            <th role="columnheader" scope="col" class="number">Dropped, lost</th>\
            </tr></thead>
            <tbody role="rowgroup">
            \(rows.map { markup(of: $0, longest: longest, hasPlot: rows.count <= Self.mostPlots) })</tbody>
            </table>
            </section>
            """
    }

    /// In the order in which profiles first occur.
    private var rows: [Row] {
        var rows: [Row] = []
        var positions: [String: Int] = [:]
        for (index, cell) in report.cells.enumerated() {
            if let position = positions[cell.rowName] {
                rows[position].cells.append(index)
            } else {
                positions[cell.rowName] = rows.count
                rows.append(Row(name: cell.rowName, cells: [index]))
            }
        }
        return rows
    }

    // MARK: Rows

    private func markup(of row: Row, longest: Double, hasPlot: Bool) -> Markup {
        let cells = row.cells.map { report.cells[$0] }
        let first = row.cells.first { report.cells[$0].isFailure } ?? row.cells.first ?? 0
        // If a row has space for one cell only, it shows the one that the reader looks for.
        let shown = report.cells[first]
        let ran = cells.filter(\.hasRun)
        let states = Set(
            cells.map { $0.isFailure ? "failed" : $0.isFlaky ? "flaky" : $0.status.rawValue })
        let bytes = mean(ran) { $0.statistics.map { Double($0.transferredBytes) } }
        let transferred = bytes.map { ByteCount(bytes: UInt64(saturating: $0)).decimalText }
        let missing = mean(ran) { $0.missingPackets.map { Double($0) } }
        let median = ran.map(\.durationSeconds).median
        let values: [(Markup, Double?)] = [
            ("failed", Double(cells.count(where: \.isFailure))), ("seconds", median),
            ("bytes", bytes), ("lost", missing),
        ]
        let data = values.map { name, value in
            " data-\(name)=\"\((value ?? -1).exactText)\"" as Markup
        }
        return """
            <tr role="row" data-name="\(row.name)" data-states="\(states.sorted().joined(separator: " "))"\
            \(data)\
            \(" class=\"baseline\"", if: shown.isBaseline)>\
            <th role="rowheader" scope="row"><a class="name" href="\(address(first))">\(row.name)</a>\
            \(conditions(of: shown))\(reason(of: first))</th>\
            <td role="cell" class="signs">\(signs(row))</td>\
            <td role="cell" class="duration">\(duration(of: ran, longest: longest))</td>\
            <td role="cell" class="spark">\(throughput(of: shown, hasPlot: hasPlot))</td>\
            <td role="cell" class="number" data-label="delay">\(delay(of: shown))</td>\
            <td role="cell" class="number" data-label="transferred">\
            \(transferred, { "\($0)" })</td>\
            <td role="cell" class="number" data-label="dropped, lost">\
            \(missing, { "\($0.roundedText)" })</td>\
            </tr>

            """
    }

    private func conditions(of cell: CellReport) -> Markup {
        if cell.isBaseline { return "<span class=\"conditions\">no conditions</span>" }
        return """
            <span class="conditions"><span title="down, toward the app"><span aria-label="down">↓</span> \
            \(cell.conditions.down)</span> <span title="up, from the app">\
            <span aria-label="up">↑</span> \(cell.conditions.up)</span></span>
            """
    }

    /// Why a cell did not pass: the first failed test inside says more than an exit code.
    private func reason(of index: Int) -> Markup {
        let cell = report.cells[index]
        let test = cell.status == .failed ? attachments[index].tests.failures.first : nil
        guard cell.isFailure, let reason = test ?? cell.problem else { return "" }
        return "<span class=\"reason \(StatusIcon.name(of: cell))\">\(reason)</span>"
    }

    private func address(_ index: Int) -> Markup { links.address(of: index, in: .main) }

    /// A sign for each cell; of very many, one for those that the reader looks for.
    private func signs(_ row: Row) -> Markup {
        guard row.cells.count > Self.mostSigns else { return "<div>\(row.cells.map(sign))</div>" }
        let notable = row.cells.filter { index in
            let cell = report.cells[index]
            return cell.status != .passed || cell.isFlaky
        }
        let failed = notable.count { report.cells[$0].isFailure }
        return """
            <div>\(notable.prefix(Self.mostSigns).map(sign))</div>\
            <details><summary>all \(row.cells.count)\(", \(failed) failed", if: failed > 0)</summary>\
            <div class="dots">\(row.cells.map(dot))</div></details>
            """
    }

    private func sign(_ index: Int) -> Markup {
        let label = label(of: index)
        let style = StatusIcon.name(of: report.cells[index])
        return """
            <a class="sign \(style)" href="\(address(index))" title="\(label)" \
            aria-label="\(label)">\(StatusIcon.markup(style))</a>
            """
    }

    /// A small sign: the number of the repetition in the colour of the result.
    private func dot(_ index: Int) -> Markup {
        let cell = report.cells[index]
        return """
            <a class="\(StatusIcon.name(of: cell))" href="\(address(index))" \
            aria-label="\(label(of: index))">\(cell.repetition)</a>
            """
    }

    private func label(of index: Int) -> String {
        let cell = report.cells[index]
        let time = cell.hasRun ? ", \(cell.durationSeconds.secondsText)" : ""
        return "\(cell.id): \(StatusIcon.word(of: cell))\(time)"
    }

    /// A bar for the median, a line from minimum to maximum, a mark for the baseline.
    private func duration(of cells: [CellReport], longest: Double) -> Markup {
        let seconds = cells.map(\.durationSeconds).sorted()
        guard let shortest = seconds.first, let last = seconds.last, longest > 0 else {
            return "<span class=\"muted\">-</span>"
        }
        let median = seconds[(seconds.count - 1) / 2]
        let baseline = cells.compactMap(\.baselineSeconds).first
        let isComparable = cells.contains { $0.baselineRatio != nil }
        let ratio = isComparable ? baseline.map { median / $0 } : nil
        let range =
            "\(shortest.secondsText) to \(last.secondsText), median \(median.secondsText)"
        let whisker: Markup = """
            <em style="left:\(percent(shortest / longest))%;\
            width:\(percent((last - shortest) / longest))%"></em>
            """
        return """
            <div class="bar" aria-hidden="true"\(" title=\"\(range)\"", if: seconds.count > 1)>\
            <i style="width:\(percent(median / longest))%"></i>\
            \(whisker, if: seconds.count > 1)\
            \(baseline, { "<b style=\"left:\(percent($0 / longest))%\"></b>" })</div>\
            <span class="time">\(median.secondsText)</span>\
            \(ratio, { " <span class=\"ratio\">× \($0.roundedText)</span>" })
            """
    }

    private func throughput(of cell: CellReport, hasPlot: Bool) -> Markup {
        guard cell.samples.count > 1 else { return "<span class=\"muted\">-</span>" }
        let samples = cell.samples.reduced(to: 48)
        let peak = samples.map { max($0.down.bitsPerSecond, $0.up.bitsPerSecond) }.max() ?? 0
        guard hasPlot else { return "<span class=\"peak\">peak \(peak.rateText)</span>" }
        let shape = PlotShape(samples: samples, top: Double(max(peak, 1)))
        return """
            <svg class="line" viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">\
            <path class="down" d="\(shape.steps { Double($0.down.bitsPerSecond) })"/>\
            <path class="up" d="\(shape.steps { Double($0.up.bitsPerSecond) })"/></svg>\
            <span class="peak">peak \(peak.rateText)</span>
            """
    }

    /// The mean delay in each direction, as the cell's packets experienced it.
    private func delay(of cell: CellReport) -> Markup {
        let down = cell.samples.compactMap(\.down.delayMilliseconds).average
        let up = cell.samples.compactMap(\.up.delayMilliseconds).average
        guard down != nil || up != nil else { return "<span class=\"muted\">-</span>" }
        return """
            <span class="pair"><span aria-label="down">↓</span> \
            \(down.map { "\($0.roundedText) ms" } ?? "-")</span> \
            <span class="pair"><span aria-label="up">↑</span> \
            \(up.map { "\($0.roundedText) ms" } ?? "-")</span>
            """
    }

    private func mean(_ cells: [CellReport], _ value: (CellReport) -> Double?) -> Double? {
        cells.compactMap(value).average
    }

    private func percent(_ ratio: Double) -> String {
        (min(max(ratio, 0), 1) * 100).shortText
    }
}
