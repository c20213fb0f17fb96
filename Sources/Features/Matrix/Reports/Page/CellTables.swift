import LinkModel
import LinkUnits
import Recording

/// The counters of a cell's link, both directions side by side.
struct CountersTable {
    let statistics: CellStatistics?

    /// Empty without counters.
    var markup: Markup {
        guard let statistics else { return "" }
        let rows = Self.rows.compactMap { row -> Markup? in
            let values = [row.value(statistics.down), row.value(statistics.up)]
            // The kernel data plane does not have every counter.
            guard values.contains(where: { $0 != nil }) else { return nil }
            let columns = values.map { "<td class=\"number\">\($0 ?? "-")</td>" as Markup }
            return "<tr><th scope=\"row\">\(row.name)</th>\(columns)</tr>\n"
        }
        return """
            <section><h3>What passed over the link</h3><table class="plain counters"><thead><tr>\
            <td></td><th scope="col" class="number">Down</th><th scope="col" class="number">Up</th>\
            </tr></thead><tbody>
            \(rows)</tbody></table></section>

            """
    }

    private struct Row {
        var name: String
        var value: (DirectionCounters) -> String?
    }

    private static var rows: [Row] {
        [
            Row(name: "Packets delivered") { $0.packets.grouped },
            Row(name: "Bytes delivered") { $0.bytes.decimalText },
            Row(name: "Mean rate") { $0.bitsPerSecond.rateText },
            Row(name: "Dropped by the queue") { $0.dropped.grouped },
            Row(name: "Lost") { $0.lost.grouped },
            Row(name: "Delivered twice") { $0.engine?.duplicatedPackets.grouped },
            Row(name: "Delivered damaged") { $0.engine?.corruptedPackets.grouped },
            Row(name: "Longest queue") {
                ($0.engine?.longestQueuePackets).map { "\($0.grouped) packet\($0 == 1 ? "" : "s")" }
            },
            Row(name: "Later than meant, median") {
                ($0.engine?.lateness).map { "\($0.p50.roundedText) µs" }
            },
            Row(name: "Later than meant, 99 of 100") {
                ($0.engine?.lateness).map { "\($0.p99.roundedText) µs" }
            },
        ]
    }
}

/// The tests inside a cell, from the command's own JUnit files.
struct InnerTests {
    let tests: CollectedTests
    let cell: CellReport

    /// The most tests shown; junit.xml has all of them.
    private static let limit = 100

    /// Empty if there are none.
    var markup: Markup {
        let all = tests.suites.flatMap { suite in suite.cases.map { (suite, $0) } }
        guard !all.isEmpty else { return "" }
        let bad = all.filter { [.failure, .error].contains($0.1.decisiveKind) }
        let skipped = all.count { $0.1.decisiveKind == .skipped }
        let counts =
            "\(all.count - bad.count - skipped) passed, \(bad.count) failed, \(skipped) skipped"
        let rows = bad.prefix(Self.limit).map { row($0, $1) }
        let rest = bad.count - rows.count
        let table: Markup = """
            <table class="plain tests" aria-label="Failed tests"><tbody>
            \(rows)</tbody></table>
            """
        return """
            <section><h3>Tests within <span class="muted">\(counts)</span></h3>
            \(table, if: !rows.isEmpty)\("<p class=\"muted\">\(rest) more failed; junit.xml has them all.</p>", if: rest > 0)\
            </section>

            """
    }

    private func row(_ suite: JUnitSuite, _ test: JUnitCase) -> Markup {
        let outcome = test.outcomes.first { $0.kind == test.decisiveKind }
        let text = outcome?.text ?? ""
        return """
            <tr><td class="failed">\(StatusIcon.markup("failed"))failed</td><td>\
            <span class="muted">\(test.className ?? suite.name)</span> <b>\(test.name)</b>\
            \(outcome?.message, { "<p>\(String($0.prefix(500)))</p>" })\
            \("<details><summary>More</summary><pre tabindex=\"0\">\(String(text.prefix(8000)))</pre></details>", if: !text.isEmpty)\
            </td><td class="number">\(test.seconds.map(\.secondsText) ?? "")</td></tr>

            """
    }
}

extension UInt64 {
    /// The number with narrow spaces between groups of three digits, from five digits on.
    fileprivate var grouped: String {
        let digits = Array("\(self)")
        guard digits.count > 4 else { return String(digits) }
        return digits.enumerated().reduce(into: "") { text, digit in
            let isStart = (digits.count - digit.offset).isMultiple(of: 3) && digit.offset > 0
            text += isStart ? "\u{202F}\(digit.element)" : "\(digit.element)"
        }
    }
}
