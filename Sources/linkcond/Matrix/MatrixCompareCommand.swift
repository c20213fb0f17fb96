import ArgumentParser
import FoundationEssentials
import LinkModel
import LinkUnits
import Matrix
import UserCatalog

/// `linkcond matrix compare BEFORE AFTER`
struct MatrixCompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Says what changed between two reports.",
        usage: """
            linkcond matrix compare [--fail-on <rules>] [--markdown] [--json]
            [--quiet] [--verbose] <before> <after>
            """,
        discussion: """
            Cell by cell and test by test: what fails now, is fixed, or is flaky (repetitions both \
            passed and failed), and what takes longer or transfers more than chance explains \
            (Mann-Whitney U test, one false finding in twenty). With fewer than 4 repetitions nobody \
            can tell; 6 are good. The exit code is 1 if something breaks the rules of --fail-on:

              new-failures     A cell or a test fails, or a cell or all its tests have no
                               result, and before they did not or had one.
              new-flaky        A cell or a test is flaky, and was not.
              slower:20%       One takes more than 20% longer.
              more-bytes:10%   A cell transfers more than 10% more bytes.
              more-requests:10%
                               A cell makes more than 10% more requests.

            Example:
              linkcond matrix compare --fail-on new-failures,slower:20% main-report report
            """)

    @Argument(help: "The directory of the earlier report.", completion: .directory)
    var before: String

    @Argument(help: "The directory of the later report.", completion: .directory)
    var after: String

    @Option(
        help: ArgumentHelp(
            "What counts as a regression, separated by commas.", valueName: "rules"))
    var failOn = "new-failures"

    @Flag(help: "Print Markdown, for the comment of a pull request.")
    var markdown = false

    // The parser assigns options that the parent command also has to the parent.
    @ParentCommand var verb: MatrixCommand

    func run() throws {
        let rules: [ComparisonRule]
        do {
            rules = try ComparisonRule.parse(failOn)
        } catch {
            throw UsageError(description: "--fail-on: \(error)")
        }
        var comparison = MatrixComparison(
            try ReportDirectory.report(at: before), named: before,
            with: try ReportDirectory.report(at: after), named: after)
        comparison.judge(by: rules)
        let isJSON = verb.manner.json
        try verb.global.console.print(
            isJSON ? comparison.json() : markdown ? comparison.markdown : comparison.text)
        throw ExitCode(comparison.regressions.isEmpty ? .done : .failed)
    }
}
