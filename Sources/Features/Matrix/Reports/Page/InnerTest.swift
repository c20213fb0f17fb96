import Recording

/// A test inside a cell, for the page.
struct InnerTest: Sendable, Hashable {
    var report: TestReport
    /// The whole of what the file says about its failure.
    var text = ""

    /// The tests of a cell, from its JUnit files, or else from the report, whose files may be gone.
    static func all(of cell: CellReport, _ attachments: CellAttachments) -> [InnerTest] {
        let suites = attachments.tests.suites
        guard !suites.isEmpty else { return (cell.tests ?? []).map { InnerTest(report: $0) } }
        return suites.flatMap { suite in
            suite.cases.map { test in
                let outcome = test.outcomes.first { $0.kind == test.decisiveKind }
                return InnerTest(report: TestReport(test, in: suite), text: outcome?.text ?? "")
            }
        }
    }
}

/// The tests inside a cell on its page: what failed with its reason, then the others.
struct InnerTestTable {
    let tests: [InnerTest]
    /// The index of the cell in the report.
    let cell: Int

    /// The most failed tests shown; report.json has all of them.
    static let mostFailed = 100
    /// The most other tests shown.
    private static let mostOthers = 1000

    /// Empty if there are none.
    var markup: Markup {
        guard !tests.isEmpty else { return "" }
        let all = Array(tests.enumerated())
        let failed = all.filter(\.element.report.isFailure)
        let others = all.filter { !$0.element.report.isFailure }
        let skipped = tests.count { $0.report.status == .skipped }
        let counts =
            "\(others.count - skipped) passed, \(failed.count) failed, \(skipped) skipped"
        let failures: Markup = """
            <table class="plain tests" aria-label="Failed tests"><tbody>
            \(failed.prefix(Self.mostFailed).map { row($0.offset, $0.element) })</tbody></table>
            """
        let rest: Markup = """
            <details class="others"\(" open", if: failed.isEmpty && others.count <= 20)>\
            <summary>\(others.count) passed or skipped</summary>
            <table class="plain tests" aria-label="Tests that passed or were skipped"><tbody>
            \(others.prefix(Self.mostOthers).map { row($0.offset, $0.element) })</tbody></table>\
            </details>
            """
        return """
            <section><h2>Tests within <span class="muted">\(counts)</span></h2>
            \(failures, if: !failed.isEmpty)\(more(failed.count - Self.mostFailed, "failed"))\
            \(rest, if: !others.isEmpty)\(more(others.count - Self.mostOthers, "passed"))\
            </section>

            """
    }

    private func more(_ count: Int, _ word: Markup) -> Markup {
        "\("<p class=\"muted\">\(count) more \(word); junit.xml has them all.</p>", if: count > 0)"
    }

    private func row(_ index: Int, _ test: InnerTest) -> Markup {
        let report = test.report
        let style: Markup =
            report.isFailure
            ? "failed"
            : report.status == .skipped ? "not-run" : report.isFlaky ? "flaky" : "passed"
        let word = report.isFlaky ? "flaky" : report.status.rawValue
        return """
            <tr id="cell-\(cell + 1)-test-\(index + 1)"\(" tabindex=\"-1\"", if: report.isFailure)>\
            <td class="\(style)">\(StatusIcon.markup(style))\(word)</td><td>\
            <span class="muted">\(report.suite)</span> <b>\(report.name)</b>\
            \(report.message, { "<p>\(String($0.prefix(500)))</p>" })\
            \("<details><summary>More</summary><pre tabindex=\"0\">\(String(test.text.prefix(8000)))</pre></details>", if: !test.text.isEmpty)\
            </td><td class="number">\(report.seconds.map(\.secondsText) ?? "")</td></tr>

            """
    }
}
