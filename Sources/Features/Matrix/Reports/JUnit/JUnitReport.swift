import FoundationEssentials
import Recording

/// `junit.xml`: each cell as a suite, and the tests inside it as suites under its name.
///
/// Valid against the schema of Jenkins' xUnit plugin (junit-10.xsd), which pytest's own tests use.
struct JUnitReport {
    let report: MatrixReport
    /// In the order of the cells.
    let attachments: [CellAttachments]

    /// The total size of logs included; each cell's page has more.
    private static let totalLogBytes = 4 * 1024 * 1024

    /// The document.
    var xml: String {
        let suites = zip(report.cells, attachments).flatMap { cell, attachments in
            [suite(of: cell, attachments)] + inner(attachments.tests.suites, of: cell)
        }
        let document: Markup = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="linkcond matrix" \
            tests="\(suites.reduce(0) { $0 + $1.cases.count })" \
            failures="\(suites.reduce(0) { $0 + $1.count(of: .failure) })" \
            errors="\(suites.reduce(0) { $0 + $1.count(of: .error) })" \
            time="\(Self.time(report.durationSeconds))">
            \(suites.map(Self.element))</testsuites>

            """
        return document.description
    }

    // MARK: Suites

    private func suite(of cell: CellReport, _ attachments: CellAttachments) -> JUnitSuite {
        var suite = JUnitSuite(name: cell.id)
        suite.timestamp = report.startedAt.addingTimeInterval(cell.startedSeconds).ISO8601Format(
            .iso8601(timeZone: .gmt, dateTimeSeparator: .standard))
        suite.properties = properties(of: cell)
        var test = JUnitCase(name: report.command.shellText)
        test.className = cell.id
        test.seconds = cell.durationSeconds
        test.outcomes = outcomes(of: cell, attachments)
        let share = min(max(Self.totalLogBytes / max(1, report.cells.count), 2048), 128 * 1024)
        if let log = attachments.log {
            test.output = LogExcerpt(Array(log.plain.utf8), limit: share).plain
        }
        test.errorOutput = (cell.notes + attachments.tests.notes).map { "linkcond: \($0)\n" }
            .joined()
        suite.cases = [test]
        return suite
    }

    private func properties(of cell: CellReport) -> [JUnitSuite.Property] {
        var values: [(String, String?)] = [
            ("profile", cell.profile), ("scenario", cell.scenario),
            ("repeat", "\(cell.repetition)"),
            ("down", cell.conditions.down), ("up", cell.conditions.up),
            ("seed", cell.seed.map { "\($0)" }), ("reproduce", cell.reproduce.shellText),
        ]
        if let ratio = cell.baselineRatio { values.append(("timesBaseline", ratio.shortText)) }
        return values.compactMap { name, value in
            value.map { JUnitSuite.Property(name: name, value: $0) }
        }
    }

    private func outcomes(
        of cell: CellReport, _ attachments: CellAttachments
    ) -> [JUnitCase.Outcome] {
        var outcomes: [JUnitCase.Outcome] = []
        switch cell.status {
        case .passed: break
        case .failed, .timedOut, .error, .missing:
            let hasResult = cell.status == .failed || cell.status == .timedOut
            outcomes.append(
                JUnitCase.Outcome(
                    kind: hasResult ? .failure : .error, message: cell.problem,
                    type: cell.status.rawValue, text: account(of: cell, attachments)))
        case .notRun:
            outcomes.append(
                JUnitCase.Outcome(kind: .skipped, message: cell.problem ?? "not run"))
        }
        return outcomes
            + cell.earlierAttempts.map { attempt in
                JUnitCase.Outcome(
                    kind: cell.status == .passed ? .flakyFailure : .rerunFailure,
                    message: attempt.problem, type: attempt.status.rawValue)
            }
    }

    /// A self-contained summary of a cell, for readers who see nothing else.
    private func account(of cell: CellReport, _ attachments: CellAttachments) -> String {
        var lines = [cell.problem].compactMap(\.self)
        lines += cell.expectations.filter { !$0.isMet }.map(\.sentence)
        lines.append("run it again: \(cell.reproduce.shellText)")
        if let log = attachments.log { lines.append(log.lastLines(40)) }
        return lines.joined(separator: "\n")
    }

    /// The tests inside a cell, under its name.
    ///
    /// If the command was expected to fail and did, or if only its exit code counts, the failures
    /// of its tests do not fail the matrix: they count as skipped.
    private func inner(_ suites: [JUnitSuite], of cell: CellReport) -> [JUnitSuite] {
        let wasToFail = cell.status == .passed && cell.exitCode != 0
        let isTrusted = cell.status == .passed && report.specification.trustsExitCode == true
        let reason = wasToFail ? "failed, as it may here" : "failed, but only the exit code counts"
        return suites.map { suite in
            var suite = suite
            suite.name = suite.name.isEmpty ? "\(cell.id) / tests" : "\(cell.id) / \(suite.name)"
            suite.cases = suite.cases.map { test in
                var test = test
                test.className = test.className.map { "\(cell.id).\($0)" } ?? cell.id
                guard wasToFail || isTrusted else { return test }
                test.outcomes = test.outcomes.map { outcome in
                    guard [.failure, .error].contains(outcome.kind) else { return outcome }
                    var outcome = outcome
                    outcome.kind = .skipped
                    outcome.message = "\(reason): \(outcome.message ?? "")"
                    return outcome
                }
                return test
            }
            return suite
        }
    }

    // MARK: Elements

    private static func element(_ suite: JUnitSuite) -> Markup {
        """
          <testsuite name="\(suite.name)" tests="\(suite.cases.count)" \
        failures="\(suite.count(of: .failure))" errors="\(suite.count(of: .error))" \
        skipped="\(suite.count(of: .skipped))" time="\(time(suite.seconds))"\
        \(suite.timestamp, { " timestamp=\"\($0)\"" })>
        \(properties(suite.properties))\(suite.cases.map(element))\
        \(output("system-out", suite.output, indentation: "    "))\
        \(output("system-err", suite.errorOutput, indentation: "    "))\
          </testsuite>

        """
    }

    private static func properties(_ properties: [JUnitSuite.Property]) -> Markup {
        guard !properties.isEmpty else { return "" }
        let list = properties.map { property -> Markup in
            "      <property name=\"\(attribute: property.name)\" value=\"\(attribute: property.value)\"/>\n"
        }
        return "    <properties>\n\(list)    </properties>\n"
    }

    private static func element(_ test: JUnitCase) -> Markup {
        """
            <testcase name="\(attribute: test.name)"\(test.className, { " classname=\"\($0)\"" })\
        \(test.seconds, { " time=\"\(time($0))\"" })>
        \(test.outcomes.map(element))\
        \(output("system-out", test.output, indentation: "      "))\
        \(output("system-err", test.errorOutput, indentation: "      "))\
            </testcase>

        """
    }

    private static func element(_ outcome: JUnitCase.Outcome) -> Markup {
        let name = Markup(trusted: outcome.kind.rawValue)
        let isRepetition = ![.skipped, .error, .failure].contains(outcome.kind)
        // The schema requires a type for repeated tests.
        let type = outcome.type ?? (isRepetition ? "failure" : nil)
        return """
                  <\(name)\(outcome.message, { " message=\"\($0)\"" })\
            \(type, { " type=\"\($0)\"" })>\(outcome.text)</\(name)>

            """
    }

    private static func output(_ name: Markup, _ text: String, indentation: Markup) -> Markup {
        text.isEmpty ? "" : "\(indentation)<\(name)>\(text)</\(name)>\n"
    }

    /// Seconds with three decimals, as the schema requires.
    static func time(_ seconds: Double) -> String {
        DecimalText.text(UInt64(max(0, min(seconds, 1e12)) * 1000 + 0.5), decimals: 3)
    }
}
