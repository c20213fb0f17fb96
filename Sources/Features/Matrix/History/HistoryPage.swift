import FoundationEssentials
import LinkModel
import LinkUnits
import Recording

/// The page of a history: a row for each profile and each test that failed, with their trends.
///
/// It is one file that loads nothing, with the style and the script of a report's page.
public struct HistoryPage: Sendable {
    let history: MatrixHistory

    /// The most reports with a sign in each row.
    private static let mostSigns = 20

    /// Makes the page of a history.
    public init(_ history: MatrixHistory) {
        self.history = history
    }

    /// The document.
    public var html: String {
        PageReport.document(
            title: "history: \(history.command.joined(separator: " ")) - linkcond matrix",
            icon: PageReport.icon(
                isSuccess: last.map { $0.failed == 0 && $0.notRun == 0 } ?? false),
            extraStyle: "",
            body: """
                <div class="overview" id="matrix">
                \(header)
                \(tools)
                \(profiles)
                \(tests)
                \(runs)
                </div>
                """)
    }

    private var last: HistoryRun? { history.runs.last }
    /// The numbers of the reports that have a sign.
    private var shown: Range<Int> {
        max(0, history.runs.count - Self.mostSigns)..<history.runs.count
    }

    // MARK: Head

    private var header: Markup {
        let count = history.runs.count
        let failed = history.runs.count { $0.failed > 0 }
        let missed = history.profiles.reduce(0) { sum, profile in
            sum + profile.budgets.count { $0.missed > 0 }
        }
        let style: Markup = (last?.failed ?? 0) > 0 ? "failed" : "passed"
        let sentence =
            (last?.failed ?? 0) > 0
            ? "the newest report has \(last?.failed ?? 0) failed cells"
            : "the newest report has no failed cell"
        let facts = [
            "\(count) report\(count == 1 ? "" : "s")",
            "\(history.runs.first?.startedAt.reportText ?? "") to \(last?.startedAt.reportText ?? "")",
            "\(failed) with failed cells",
            missed == 0
                ? "all budgets kept" : "\(missed) budget\(missed == 1 ? "" : "s") not always kept",
        ]
        return """
            <header class="top">
            <p class="brand">linkcond matrix history</p>
            <h1><code>\(history.command.shellText)</code></h1>
            <p class="verdict \(style)">\(StatusIcon.markup(style))<span>\(sentence)</span></p>
            <p class="meta">\(facts.map { "<span>\($0)</span>" as Markup })</p>
            \(Overview.list(of: history.notes))
            </header>
            """
    }

    private var tools: Markup {
        let choices: [(Markup, Markup)] = [
            ("all", "All"), ("failed", "Failed"), ("flaky", "Flaky"), ("missed", "Over budget"),
        ]
        let buttons = choices.map { name, word -> Markup in
            """
            <button type="button" data-show="\(name)" \
            aria-pressed="\(name.description == "all" ? "true" : "false")">\(word)</button>
            """
        }
        return """
            <div class="tools" role="search" hidden>
            <input type="search" id="filter" placeholder="Filter profiles, tests and messages" \
            aria-label="Filter profiles, tests and messages" autocomplete="off" spellcheck="false">
            <div class="choices" role="group" aria-label="Show">\(buttons)</div>
            <p class="hidden-rows" role="status"></p>
            </div>
            """
    }

    // MARK: Profiles

    private var profiles: Markup {
        """
        <section aria-labelledby="profiles-name">
        <div class="head"><h2 id="profiles-name">Profiles</h2>
        <label class="sort" hidden>Sort by <select data-sort="profiles">\
        <option value="">the matrix</option><option value="-flaky">flakiest first</option>\
        <option value="rate">lowest pass rate first</option><option value="name">name</option>\
        <option value="-seconds">slowest first</option></select></label></div>
        <div class="wide" tabindex="0" role="region" aria-label="Profiles over time">
        <table class="tests-grid trends" aria-label="Profiles over time">
        <thead><tr><th scope="col">Profile</th><th scope="col">Newest reports</th>\
        <th scope="col">Passed</th><th scope="col">Duration</th>\
        <th scope="col">Transferred</th><th scope="col">Requests</th>\
        <th scope="col">Flaky</th></tr></thead>
        <tbody>
        \(history.profiles.map(row))</tbody></table></div>
        <p class="legend-line muted">Each curve goes from the oldest report to the newest; the \
        dashed line is the budget. Flaky: the same conditions gave both results in a report.</p>
        </section>
        """
    }

    private func row(_ profile: ProfileHistory) -> Markup {
        let known = profile.points.compactMap(\.self)
        let missed = profile.budgets.filter { $0.missed > 0 }
        var states: [String] = []
        if known.contains(where: { $0.failed > 0 }) { states.append("failed") }
        if known.contains(where: \.isFlaky) { states.append("flaky") }
        if !missed.isEmpty { states.append("missed") }
        let reasons = missed.map { budget -> Markup in
            let count = budget.missed
            return """
                <span class="reason failed">\(budget.quantity.rawValue) \(budget.text): not kept in \
                \(count) report\(count == 1 ? "" : "s")</span>
                """
        }
        let seconds = TrendPlot(
            values: profile.points.map { $0?.seconds },
            limits: profile.limits(of: .duration), unit: .seconds, name: "duration")
        let bytes = TrendPlot(
            values: profile.points.map { $0?.transferredBytes },
            limits: profile.limits(of: .transferred), unit: .bytes, name: "transferred")
        let requests = TrendPlot(
            values: profile.points.map { $0?.requests },
            limits: profile.limits(of: .requests), unit: .count, name: "requests")
        let rate = TrendPlot(
            values: profile.points.map { $0?.rate }, limits: [], unit: .share, name: "passed")
        return """
            <tr data-name="\(profile.name)" data-states="\(states.joined(separator: " "))" \
            data-flaky="\((profile.flakiness ?? -1).exactText)" \
            data-rate="\((profile.passRate ?? 2).exactText)" \
            data-seconds="\((known.last?.seconds ?? -1).exactText)">\
            <th scope="row"><b>\(profile.name)</b>\(reasons)</th>\
            <td class="strip">\(shown.map { sign(profile.points[$0], $0) })</td>\
            <td>\(rate.markup)</td><td>\(seconds.markup)</td><td>\(bytes.markup)</td>\
            <td>\(requests.markup)</td>\
            <td>\(percent(profile.flakiness))\
            \("<span class=\"peak\">\(profile.changes) change\(profile.changes == 1 ? "" : "s")</span>", if: profile.changes > 0)\
            </td></tr>

            """
    }

    private func sign(_ point: ProfileHistory.Point?, _ run: Int) -> Markup {
        guard let point else { return mark("not-run", "no result", run) }
        let count = point.passed + point.failed
        if point.passed == 0, count > 0 { return mark("failed", "\(count) failed", run) }
        if point.isFlaky { return mark("flaky", "flaky, \(point.failed) of \(count) failed", run) }
        return mark("passed", "\(count) passed", run)
    }

    private func mark(_ style: Markup, _ words: String, _ run: Int) -> Markup {
        let label = "\(history.runs[run].startedAt.reportText): \(words)"
        return """
            <span class="mark \(style)" role="img" title="\(label)" aria-label="\(label)">\
            \(StatusIcon.markup(style))</span>
            """
    }

    // MARK: Tests

    private var tests: Markup {
        guard !history.tests.isEmpty else { return "" }
        return """
            <section aria-labelledby="tests-name">
            <div class="head"><h2 id="tests-name">Tests \
            <span class="muted">that failed or were flaky</span></h2>
            <label class="sort" hidden>Sort by <select data-sort="tests">\
            <option value="">failures</option><option value="-flaky">flakiest first</option>\
            <option value="name">name</option></select></label></div>
            <div class="wide" tabindex="0" role="region" aria-label="Tests over time">
            <table class="tests-grid trends" aria-label="Tests over time">
            <thead><tr><th scope="col">Test</th><th scope="col">Profile</th>\
            <th scope="col">Newest reports</th><th scope="col">Failed</th>\
            <th scope="col">Flaky</th></tr></thead>
            <tbody>
            \(history.tests.map(row))</tbody></table></div>
            </section>
            """
    }

    private func row(_ test: TestHistory) -> Markup {
        let (failed, flaky) = (test.failedRuns, test.flakyRuns)
        let count = test.points.count { $0 != nil }
        let states = (failed > 0 ? ["failed"] : []) + (flaky > 0 ? ["flaky"] : [])
        let signs = shown.map { number -> Markup in
            guard let point = test.points[number] else {
                return mark("not-run", "no result", number)
            }
            if point.isFlaky { return mark("flaky", "flaky", number) }
            return point.failed > 0
                ? mark("failed", "failed", number) : mark("passed", "passed", number)
        }
        return """
            <tr data-states="\(states.joined(separator: " "))" data-flaky="\(flaky)">\
            <th scope="row"><span class="muted">\(test.suite)</span> <b>\(test.name)</b>\
            \(test.message, { "<span class=\"reason failed\">\(String($0.prefix(300)).singleLine)</span>" })</th>\
            <td>\(test.profile)</td><td class="strip">\(signs)</td>\
            <td>\(failed) of \(count)</td><td>\(flaky) of \(count)</td></tr>

            """
    }

    // MARK: Reports

    private var runs: Markup {
        let rows = history.runs.reversed().map { run -> Markup in
            let style: Markup = run.failed > 0 ? "failed" : run.notRun > 0 ? "not-run" : "passed"
            return """
                <tr><th scope="row">\(run.startedAt.reportText)</th><td>\(run.directory)</td>\
                <td class="\(style)">\(StatusIcon.markup(style))\(run.passed) passed, \
                \(run.failed) failed\(", \(run.flaky) flaky", if: run.flaky > 0)\
                \(", \(run.notRun) not run", if: run.notRun > 0)</td>\
                <td class="number">\(run.durationSeconds.secondsText)</td></tr>

                """
        }
        return """
            <section aria-labelledby="runs-name"><div class="head"><h2 id="runs-name">Reports</h2></div>
            <div class="wide" tabindex="0" role="region" aria-label="All reports">
            <table class="plain runs" aria-label="Reports"><thead><tr><th scope="col">Began</th>\
            <th scope="col">Directory</th><th scope="col">Cells</th>\
            <th scope="col" class="number">Duration</th></tr></thead><tbody>
            \(rows)</tbody></table></div></section>
            """
    }

    private func percent(_ share: Double?) -> String {
        share.map { "\(Int(($0 * 100).rounded()))%" } ?? "-"
    }
}

extension ProfileHistory {
    /// The limits of a quantity in each report; empty without a budget.
    fileprivate func limits(of quantity: Budget.Quantity) -> [Double?] {
        budgets.first { $0.quantity == quantity }?.limits ?? []
    }
}

extension ProfileHistory.Point {
    /// The share of the cells that passed.
    fileprivate var rate: Double? {
        passed + failed > 0 ? Double(passed) / Double(passed + failed) : nil
    }
}
