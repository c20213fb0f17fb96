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
            Each machine has run a part of the same matrix (--shard), or what failed once more \
            (--rerun-failed): of each cell, the newest result counts. A report that cannot be read \
            is named and left out; a cell without a result is missing. The exit code is 0 if all \
            cells passed, and 1 if not. Without --report, the report of a work queue, or of a \
            matrix that was killed, goes to its own directory. Options, the same as those of linkcond matrix:

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
        if let path = verb.manner.report,
            let part = directories.first(where: { ReportDirectory.isSame(path, as: $0) })
        {
            throw MatrixError(
                .usage,
                "\(part) is one of the reports to merge, and would be replaced; choose another "
                    + "directory for --report")
        }
        let store =
            try verb.manner.report == nil && directories.count == 1
            ? MatrixStore.reporting(at: directories[0]) : nil
        var parts: [(directory: String, report: MatrixReport)] = []
        var damages: [MatrixError] = []
        for directory in directories {
            do {
                parts.append((directory, try ReportDirectory.report(at: directory)))
            } catch {
                damages.append(error)
            }
        }
        if parts.isEmpty, let damage = damages.first { throw damage }
        var merged = try MatrixReport.merging(
            parts.map(\.report), names: parts.map(\.directory)
        ) { path, number in
            Self.newPath(path, part: number)
        }
        merged.notes += damages.map { "left out: \($0)" }
        let target = try verb.manner.report.map { path throws(MatrixError) in
            try ReportDirectory(creating: path)
        }
        if let target {
            for (number, part) in parts.enumerated() {
                merged.notes += try target.copyFiles(
                    of: part.report, in: part.directory, for: merged
                ) { path in
                    Self.newPath(path, part: number)
                }
            }
        }
        try MatrixOutput(
            report: merged, directory: target ?? store?.directory, isJSON: verb.manner.json,
            pattern: verb.manner.collect ?? store?.record.pattern, store: store
        )
        .write(verb.global.console)
        throw ExitCode(merged.isSuccess ? .done : .failed)
    }

    /// A unique path: two parts may have files of the same name, such as those of the baseline.
    private static func newPath(_ path: String, part: Int) -> String {
        guard let slash = path.firstIndex(of: "/") else { return path }
        let name = path[path.index(after: slash)...]
        // The first part may itself have been merged, and have names such as 2-LTE.log.
        let digits = name.prefix(while: \.isNumber)
        let isPlain = digits.isEmpty || !name[digits.endIndex...].hasPrefix("-")
        return part == 0 && isPlain ? path : path[...slash] + "\(part + 1)-" + name
    }
}
