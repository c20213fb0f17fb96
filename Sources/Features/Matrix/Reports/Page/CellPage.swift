import LinkModel
import LinkUnits
import Recording

/// The page of a cell: what it was, how it ended, and everything known about why.
struct CellPage {
    let report: MatrixReport
    /// The cell's index in the report.
    let index: Int
    let attachments: CellAttachments
    /// The document that this page is in.
    let document: CellLinks.Document

    private var cell: CellReport { report.cells[index] }

    var markup: Markup {
        """
        <article class="cell" id="cell-\(index + 1)" tabindex="-1" aria-labelledby="name-\(index + 1)">
        \(navigation)
        \(heading)
        \(facts)
        \(expectations)
        \(command)
        \(parts)\
        \(earlierAttempts)
        </article>

        """
    }

    /// A reader of a failed cell wants the reason first.
    private var parts: Markup {
        let link: Markup = """
            \(timeline)\(LinkPlots(of: cell, cells: cellsInDocument).markup)\
            \(CountersTable(statistics: cell.statistics).markup)
            """
        let words: Markup = """
            \(InnerTestTable(tests: InnerTest.all(of: cell, attachments), cell: index).markup)\
            \(log(cell.log, attachments.log, name: cell.id))
            """
        return cell.isFailure ? "\(words)\(link)" : "\(link)\(words)"
    }

    private var links: CellLinks { CellLinks(count: report.cells.count) }

    private var cellsInDocument: Int {
        links.isSplit ? CellLinks.cellsInFile : report.cells.count
    }

    private func log(_ file: LogFile?, _ excerpt: LogExcerpt?, name: String?) -> Markup {
        LogView(file: file, excerpt: excerpt, name: name, root: document.root).markup
    }

    private var timeline: Markup {
        guard let figure = cell.timeline.map({ TimelinePlot($0).figure }), !figure.isEmpty else {
            return ""
        }
        return """
            <section class="timeline-box" aria-label="What happened">
            <h2>What happened</h2>
            \(figure)</section>

            """
    }

    // MARK: Head

    private var navigation: Markup {
        let previous = index > 0 ? index : nil
        let next = index + 1 < report.cells.count ? index + 2 : nil
        return """
            <nav aria-label="Cells"><a class="back" href="\(document.overview)">← Matrix</a>\
            <span class="steps">\(step("previous", previous, "‹"))\
            <span class="position">\(index + 1) of \(report.cells.count)</span>\
            \(step("next", next, "›"))</span></nav>
            """
    }

    private func step(_ word: Markup, _ number: Int?, _ sign: Markup) -> Markup {
        guard let number else { return "<span class=\"step\" aria-hidden=\"true\">\(sign)</span>" }
        return """
            <a class="step" rel="\(word)" href="\(links.address(of: number - 1, in: document))" \
            aria-label="\(word) cell, \(report.cells[number - 1].id)">\(sign)</a>
            """
    }

    private var heading: Markup {
        let style = StatusIcon.name(of: cell)
        let problem = cell.problem ?? (cell.isFlaky ? cell.verdict : nil)
        var notes = cell.notes + attachments.tests.notes
        if notes.isEmpty, cell.statistics?.isFaithful == false {
            notes = ["The machine was too busy for the emulation to be exact here."]
        }
        return """
            <header><h1 id="name-\(index + 1)">\(cell.id)</h1>\
            <span class="badge \(style)">\(StatusIcon.markup(style))\(StatusIcon.word(of: cell))</span>
            \(problem, { "<p class=\"problem \(style)\">\($0)</p>" })
            \(Overview.list(of: notes))</header>
            """
    }

    private var facts: Markup {
        var facts: [(String, Markup)] = []
        if cell.hasRun {
            facts.append(("Duration", duration))
        }
        if let code = cell.exitCode { facts.append(("Exit code", "\(code)")) }
        if !cell.isBaseline {
            facts.append(("Down", "\(cell.conditions.down)"))
            facts.append(("Up", "\(cell.conditions.up)"))
        }
        if let scenario = cell.scenario { facts.append(("Scenario", "\(scenario)")) }
        if let statistics = cell.statistics {
            let bytes = ByteCount(bytes: statistics.transferredBytes)
            facts.append(("Transferred", "\(bytes.decimalText)"))
            if let requests = statistics.requests { facts.append(("Requests", "\(requests)")) }
            facts.append(("Conditioned by", "\(statistics.backend.rawValue)"))
        }
        if let seed = cell.seed { facts.append(("Seed", "<code>\(seed)</code>")) }
        if cell.hasRun {
            facts.append(("Started", "\(cell.startedSeconds.secondsText) into the matrix"))
        }
        let list = facts.map { "<div><dt>\($0.0)</dt><dd>\($0.1)</dd></div>" as Markup }
        return "<dl class=\"facts\">\(list)</dl>"
    }

    private var duration: Markup {
        guard let ratio = cell.baselineRatio, let baseline = cell.baselineSeconds else {
            return "\(cell.durationSeconds.secondsText)"
        }
        let longest = max(cell.durationSeconds, baseline)
        return """
            \(cell.durationSeconds.secondsText) \
            <span class="ratio">× \(ratio.roundedText) the baseline (\(baseline.secondsText))</span>\
            <div class="bar" aria-hidden="true">\
            <i style="width:\((cell.durationSeconds / longest * 100).shortText)%"></i>\
            <b style="left:\((baseline / longest * 100).shortText)%"></b></div>
            """
    }

    private var expectations: Markup {
        guard !cell.expectations.isEmpty else { return "" }
        let rows = cell.expectations.map { result -> Markup in
            let style: Markup = result.isMet ? "passed" : "failed"
            let word: Markup = result.isMet ? "met" : "not met"
            return """
                <tr><td class="\(style)">\(StatusIcon.markup(style))\(word)</td>\
                <td>\(result.expected)</td><td>\(result.actual)</td></tr>

                """
        }
        return """
            <section><h2>Expectations</h2><table class="plain"><thead><tr><th scope="col">Result</th>\
            <th scope="col">Expected</th><th scope="col">Found</th></tr></thead><tbody>
            \(rows)</tbody></table></section>
            """
    }

    private var command: Markup {
        """
        <section><h2>Run it again</h2><div class="command">\
        <pre tabindex="0"><code>\(cell.reproduce.shellText)</code></pre>\
        <button type="button" class="copy" hidden>Copy</button></div></section>
        """
    }

    // MARK: Attempts

    private var earlierAttempts: Markup {
        guard !cell.earlierAttempts.isEmpty else { return "" }
        let attempts = cell.earlierAttempts.enumerated().map { number, attempt -> Markup in
            let logs = attachments.earlierLogs
            let excerpt = logs.indices.contains(number) ? logs[number] : nil
            return """
                <details><summary>Attempt \(number + 1): \(attempt.problem ?? attempt.status.rawValue), \
                \(attempt.durationSeconds.secondsText)\
                \(attempt.seed.map { "\($0)" }, { ", seed \($0)" })</summary>
                \(log(attempt.log, excerpt, name: nil))</details>

                """
        }
        return "<section><h2>Earlier attempts</h2>\(attempts)</section>"
    }
}
