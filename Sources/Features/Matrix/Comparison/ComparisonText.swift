import LinkUnits
import Recording

extension Growth {
    /// `takes x 1.8 as long (1.2 s before, 2.1 s after)`.
    var sentence: String {
        let factor = factor.map { "x \($0.shortText)" }
        switch quantity {
        case .seconds:
            return
                "takes \(factor.map { "\($0) as long" } ?? "another time") (\(before.secondsText) "
                + "before, \(after.secondsText) after)"
        case .bytes:
            let texts = [before, after].map {
                ByteCount(bytes: UInt64(saturating: $0)).decimalText
            }
            return
                "transfers \(factor.map { "\($0) as much" } ?? "another amount") (\(texts[0]) before, "
                + "\(texts[1]) after)"
        case .requests:
            return
                "makes \(factor.map { "\($0) as many" } ?? "another number of") requests "
                + "(\(before.shortText) before, \(after.shortText) after)"
        }
    }
}

extension Tally {
    /// `3 passed, 2 failed`.
    public var text: String {
        let parts = [
            (passed, "passed"), (flaky, "flaky"), (failed, "failed"), (missing, "missing"),
            (skipped, "skipped"),
        ].filter { $0.0 > 0 }
        return parts.isEmpty ? "-" : parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
}

extension Change {
    /// The heading above what changed so.
    var heading: String {
        switch self {
        case .newlyFailing: "Newly failing"
        case .newlyMissing: "Without result"
        case .newlySkipped: "Skipped now"
        case .newlyFlaky: "Newly flaky"
        case .fixed: "Fixed"
        case .steadier: "Not flaky any more"
        case .stillFailing: "Still failing"
        case .stillFlaky: "Still flaky"
        case .added: "New"
        case .removed: "Not there any more"
        }
    }
}

extension MatrixComparison {
    /// More would hide the rest.
    private static let mostLines = 50

    /// The parts of the comparison that have something to say: a heading and lines.
    func sections(_ format: (Item) -> String) -> [(heading: String, lines: [String])] {
        var sections: [(heading: String, lines: [String])] = []
        for change in Change.allCases {
            let lines = items.filter { $0.change == change }.map { item in
                let reason = item.reason.map { ": \($0.singleLine)" } ?? ""
                return "\(format(item)) (\(item.before.text) before; \(item.after.text) after)"
                    + (change == .fixed ? "" : reason)
            }
            if !lines.isEmpty { sections.append((change.heading, lines)) }
        }
        let grown = items.flatMap { item in
            item.growth.filter { [.greater, .smaller].contains($0.verdict) }.map {
                "\(format(item)) \($0.sentence)"
            }
        }
        if !grown.isEmpty { sections.append(("Slower or faster, more or less", grown)) }
        return sections.map { section in
            let rest = section.lines.count - Self.mostLines
            return rest <= 0
                ? section
                : (section.heading, section.lines.prefix(Self.mostLines) + ["and \(rest) more"])
        }
    }

    /// What could not be compared, for people; nil: nothing.
    var doubt: String? {
        let unknown = cells.filter { cell in
            cell.growth.contains { $0.quantity == .seconds && $0.probability == nil }
        }
        guard !unknown.isEmpty else { return nil }
        return "\(unknown.count) of \(cells.count) cells have fewer than \(RankTest.leastSample) "
            + "durations in one of the reports, too few to tell a change from chance; use --repeat "
            + "with 6 or more"
    }

    /// `2 regressions; 14 cells and 120 tests compared`.
    public var verdict: String {
        let count = regressions.count
        let found = count == 0 ? "no regression" : "\(count) regression\(count == 1 ? "" : "s")"
        return "\(found); \(cells.count) cells and \(tests.count) tests compared"
    }

    /// For a terminal.
    public var text: String {
        var parts = sections(\.name).map { section in
            ([section.heading] + section.lines.map { "  \($0)" }).joined(separator: "\n")
        }
        parts += (notes + [doubt].compactMap(\.self)).map { "note: \($0)" }
        if !regressions.isEmpty {
            parts.append(
                (["Regressions"] + regressions.map { "  \($0.singleLine)" })
                    .joined(separator: "\n"))
        }
        return (parts + [verdict]).joined(separator: "\n\n") + "\n"
    }

    /// For the comment of a pull request, in GitHub's dialect.
    public var markdown: String {
        var parts = [
            "## \(regressions.isEmpty ? "✅" : "❌") linkcond matrix compare: \(verdict)"
        ]
        if !regressions.isEmpty {
            parts.append(
                regressions.prefix(Self.mostLines).map { "- \($0.asMarkdown)" }
                    .joined(separator: "\n"))
        }
        parts += sections(\.name).map { section in
            "### \(section.heading)\n\n"
                + section.lines.map { "- \($0.asMarkdown)" }.joined(separator: "\n")
        }
        let notes = notes + [doubt].compactMap(\.self)
        if !notes.isEmpty {
            parts.append(notes.map { "> \($0.asMarkdown)" }.joined(separator: "\n>\n"))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }
}
