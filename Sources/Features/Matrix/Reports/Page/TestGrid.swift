import Recording

/// The tests inside the cells: a row for each test, a column for each profile.
///
/// A screen reader says the test, the profile and the result of each cell: `passed` and its sign
/// come from the style sheet, which keeps the thousands of cells of a large suite small.
struct TestGrid {
    let results: TestResults
    let links: CellLinks

    /// The most cells of the table; report.json has all tests.
    private static let mostCells = 20_000

    /// Empty without tests.
    var markup: Markup {
        guard !results.rows.isEmpty else { return "" }
        let shown = results.rows.prefix(max(100, Self.mostCells / max(1, results.profiles.count)))
        let rest = results.rows.count - shown.count
        let isTilted = results.profiles.count > 8
        return """
            <section id="tests" aria-labelledby="tests-name">
            <div class="head"><h2 id="tests-name">Tests <span class="muted">\(counts)</span></h2>
            <label class="sort" hidden>Sort by <select data-sort="tests">\
            <option value="">failures</option><option value="name">name</option>\
            <option value="-seconds">slowest first</option></select></label></div>
            <div class="wide" tabindex="0" role="region" aria-label="Tests and profiles">
            <table class="tests-grid\(" tilted", if: isTilted)" aria-label="Tests and their results by profile">
            <thead><tr><th scope="col">Test</th>\(results.profiles.map(heading))</tr></thead>
            <tbody>
            \(shown.map(row))</tbody>
            </table></div>\(Self.more(rest))
            \(Self.legend)
            </section>
            """
    }

    private var counts: String {
        let count = results.rows.count
        let failed = results.rows.count { $0.failures > 0 }
        let flaky = results.rows.count(where: \.isFlaky)
        return "\(count) test\(count == 1 ? "" : "s") under \(results.profiles.count) profile"
            + (results.profiles.count == 1 ? "" : "s") + ", \(failed) failed"
            + (flaky > 0 ? ", \(flaky) flaky" : "")
    }

    private static func more(_ count: Int) -> Markup {
        "\("<p class=\"muted\">\(count) more, none worse than these; report.json has them all.</p>", if: count > 0)"
    }

    /// Only what the signs of the matrix above do not explain.
    private static let legend: Markup = """
        <p class="legend-line muted">A time is that of a test that passed: the median of its \
        repetitions. <span class="may">✕</span> failed where the cell may fail. \
        <span>–</span> did not run.</p>
        """

    private func heading(_ profile: String) -> Markup {
        "<th scope=\"col\"><span>\(profile)</span></th>"
    }

    // MARK: Rows

    private func row(_ row: TestResults.Row) -> Markup {
        let values = row.results.values
        var states: [Markup] = []
        if row.failures > 0 { states.append("failed") }
        if row.isFlaky { states.append("flaky") }
        if values.contains(where: { $0.skipped > 0 }) { states.append("not-run") }
        let joined = states.dropFirst().reduce(states.first ?? "") { "\($0) \($1)" }
        let cells = results.profiles.indices.map { cell(row.results[$0], under: $0) }
        return """
            <tr data-states="\(joined)" data-seconds="\((row.seconds ?? -1).exactText)">\
            <th scope="row"><span class="muted">\(row.suite)</span> <b>\(Self.breakable(row.name))</b>\
            \(reasons(of: row))</th>\(cells)</tr>

            """
    }

    /// Names of tests have no blanks at which a narrow column could break them.
    private static func breakable(_ name: String) -> Markup {
        var markup = Markup()
        var word = ""
        for character in name {
            word.append(character)
            guard "_.:/".contains(character) else { continue }
            markup += "\(word)<wbr>"
            word = ""
        }
        return "\(markup)\(word)"
    }

    /// The first reasons, each once, with the profiles under which they are the reason.
    private func reasons(of row: TestResults.Row) -> Markup {
        var order: [String] = []
        var profiles: [String: [String]] = [:]
        for (number, profile) in results.profiles.enumerated() {
            guard let result = row.results[number], result.failed > 0, let message = result.message
            else { continue }
            if profiles[message] == nil { order.append(message) }
            profiles[message, default: []].append(profile)
        }
        let pieces = order.prefix(3).map { message -> Markup in
            let names = (profiles[message] ?? []).joined(separator: ", ")
            return """
                <span class="reason failed"><i>\(names):</i> \
                \(String(message.prefix(300)).singleLine)</span>
                """
        }
        return "\(pieces)"
    }

    private func cell(_ result: TestResults.Result?, under profile: Int) -> Markup {
        guard let result, result.count > 0 else { return "<td class=\"none\"></td>" }
        let time = result.seconds?.secondsText ?? ""
        if result.failed > 0 {
            let isMixed = result.passed > 0
            let style: Markup = isMixed ? "flaky" : "failed"
            let count = result.failed + result.passed
            let words = count == 1 ? "failed" : "\(result.failed) of \(count)"
            return "<td class=\"f \(style)\">\(link(result, "✕ \(words)"))</td>"
        }
        if result.tolerated > 0 { return "<td class=\"may\">\(link(result, "✕"))</td>" }
        if result.passed == 0 { return "<td class=\"skip\">skipped</td>" }
        return "<td class=\"\(result.flaky > 0 ? "p flaky" : "p" as Markup)\">\(time)</td>"
    }

    private func link(_ result: TestResults.Result, _ text: String) -> Markup {
        guard let place = result.failure else { return "\(text)" }
        let address = links.address(of: place.cell, test: place.test, in: .main)
        return "<a href=\"\(address)\">\(text)</a>"
    }
}
