import ArgumentParser
import FoundationEssentials
import LinkModel
import Matrix

/// `linkcond matrix merge DIRECTORY...`
struct MatrixMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Merges the reports of several machines.",
        usage: """
            linkcond matrix merge [--report <directory>] [--json]
            [--collect <pattern>] [--quiet] [--verbose] <directories> ...
            """,
        discussion: """
            Each machine has run a part of the same matrix (--shard). The exit code is 0 if all \
            cells passed, and 1 if not. Options, the same as those of linkcond matrix:

              --report <directory>   The directory of the merged report and the logs.
              --json                 Print the merged report as JSON.
              --collect <pattern>    Which files of cells are JUnit files.
              --quiet, --verbose     Print less, or more.

            Example:
              linkcond matrix merge --report all report-1 report-2 report-3
            """)

    @Argument(
        help: "The directories of the reports.", completion: .directory)
    var directories: [String]

    // The parser assigns options that the parent command also has to the parent.
    @ParentCommand var verb: MatrixCommand

    func run() throws {
        var parts: [MatrixReport] = []
        for directory in directories { parts.append(try ReportDirectory.report(at: directory)) }
        var merged = try MatrixReport.merging(parts) { path, number in
            Self.newPath(path, part: number)
        }
        let target = try verb.manner.report.map { path throws(MatrixError) in
            try ReportDirectory(creating: path)
        }
        if let target {
            for (number, part) in parts.enumerated() {
                merged.notes += try target.copyFiles(
                    of: part, in: directories[number], for: merged
                ) { path in
                    Self.newPath(path, part: number)
                }
            }
        }
        try MatrixOutput(
            report: merged, directory: target, isJSON: verb.manner.json,
            pattern: verb.manner.collect
        )
        .write(verb.global.console)
        throw ExitCode(merged.isSuccess ? .done : .failed)
    }

    /// A unique path: two parts may have files of the same name, such as those of the baseline.
    private static func newPath(_ path: String, part: Int) -> String {
        guard part > 0, let slash = path.firstIndex(of: "/") else { return path }
        return path[...slash] + "\(part + 1)-" + path[path.index(after: slash)...]
    }
}
