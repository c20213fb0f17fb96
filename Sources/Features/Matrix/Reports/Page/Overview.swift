import FoundationEssentials
import Recording

/// The first page: the overall result and the matrix.
struct Overview {
    let report: MatrixReport
    let attachments: [CellAttachments]

    var markup: Markup {
        """
        <div class="overview" id="matrix">
        \(header)
        \(tools)
        \(MatrixTable(report: report, attachments: attachments, links: links).markup)
        \(TestGrid(results: TestResults(report, attachments), links: links).markup)
        \(footer)
        </div>

        """
    }

    private var links: CellLinks { CellLinks(count: report.cells.count) }

    /// What the script does with the tables.
    private var tools: Markup {
        """
        <div class="tools" role="search" hidden>
        <input type="search" id="filter" placeholder="Filter profiles, tests and messages" \
        aria-label="Filter profiles, tests and messages" autocomplete="off" spellcheck="false">
        <div class="choices" role="group" aria-label="Show">\
        \(choices)</div>
        <p class="hidden-rows" role="status"></p>
        </div>
        """
    }

    private var choices: [Markup] {
        // Without its type the array would take the compiler seconds.
        let all: [(name: String, word: String, count: Int)] = [
            ("all", "All", report.cells.count), ("failed", "Failed", report.failed),
            ("flaky", "Flaky", report.flaky), ("not-run", "Not run", report.notRun),
        ]
        return all.filter { $0.name == "all" || $0.count > 0 }.map { name, word, count in
            """
            <button type="button" data-show="\(name)" \
            aria-pressed="\(name == "all" ? "true" : "false")">\(word) \(count)</button>
            """
        }
    }

    private var header: Markup {
        """
        <header class="top">
        <p class="brand">linkcond matrix</p>
        <h1><code>\(report.command.shellText)</code></h1>
        <p class="verdict \(verdict.style)">\(StatusIcon.markup(verdict.style))\
        <span>\(verdict.sentence)</span></p>
        \(Self.tally(report))
        <p class="meta">\(facts.map { "<span>\($0)</span>" as Markup })</p>
        \(notes)
        </header>
        """
    }

    private var verdict: (style: Markup, sentence: String) {
        let count = report.cells.count
        if report.failed > 0 {
            return ("failed", "\(report.failed) of \(count) cell\(count == 1 ? "" : "s") failed")
        } else if report.notRun > 0 {
            return ("not-run", "not finished: \(report.notRun) of \(count) cells were not run")
        } else if count == 0 {
            return ("not-run", "no cells")
        } else {
            return ("passed", count == 1 ? "the cell passed" : "all \(count) cells passed")
        }
    }

    private var facts: [String] {
        var facts = [
            report.startedAt.reportText,
            "\(report.durationSeconds.secondsText) in all",
            "\(report.machine.jobs) at once", "Linux \(report.machine.kernel)",
            "\(report.machine.processors) processor\(report.machine.processors == 1 ? "" : "s")",
        ]
        // The number of the version alone; report.json has the commit.
        if let version = report.machine.linkcond?.split(separator: " ").first {
            facts.append("linkcond \(version)")
        }
        if let shard = report.shard { facts.append("shard \(shard.index) of \(shard.count)") }
        return facts
    }

    private var notes: Markup {
        let fromFiles = zip(report.cells, attachments).flatMap { cell, attachments in
            attachments.tests.notes.map { "\(cell.id): \($0)" }
        }
        return Self.list(of: report.notes + fromFiles.prefix(10))
    }

    /// Notes as a list; empty without any.
    static func list(of notes: [String]) -> Markup {
        guard !notes.isEmpty else { return "" }
        return "<ul class=\"notes\">\(notes.map { "<li>\($0)</li>" as Markup })</ul>"
    }

    private var footer: Markup {
        """
        <footer>Beside this file: <a href="report.json">report.json</a>, \
        <a href="junit.xml">junit.xml</a>, <a href="summary.md">summary.md</a>\
        \(", the pages of the cells (<a href=\"pages/cells-1.html\">pages</a>)", if: links.isSplit) \
        and the logs.\
        </footer>
        """
    }

    /// How many cells ended how, as a bar and in words.
    private static func tally(_ report: MatrixReport) -> Markup {
        let counts: [(style: Markup, word: String, count: Int)] = [
            ("passed", "passed", report.passed - report.flaky), ("flaky", "flaky", report.flaky),
            ("failed", "failed", report.failed), ("not-run", "not run", report.notRun),
        ].filter { $0.count > 0 }
        let bar = counts.map { entry -> Markup in
            "<span class=\"\(entry.style)\" style=\"flex-grow:\(entry.count)\"></span>"
        }
        let words = counts.map { entry -> Markup in
            """
            <li class="\(entry.style)">\(StatusIcon.markup(entry.style))\
            <b>\(entry.count)</b> \(entry.word)</li>
            """
        }
        return """
            <div class="tally" aria-hidden="true">\(bar)</div>
            <ul class="counts">\(words)</ul>
            """
    }
}
