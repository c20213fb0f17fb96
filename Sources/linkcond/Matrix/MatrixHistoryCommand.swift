import ArgumentParser
import Matrix
import Recording
import UserCatalog

/// `linkcond matrix history DIRECTORY...`
struct MatrixHistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows how a matrix ended over many reports.",
        usage: "linkcond matrix history [--output <file>] [--json] <directories> ...",
        discussion: """
            Writes a page with the trends of each profile (pass rate, duration, bytes), its budgets \
            in linkcond.yaml, and what was flaky. Reports that cannot be read, or are of another \
            command than the newest, are named and left out. --json prints the history instead.

            Example:
              linkcond matrix history --output history.html reports/*
            """)

    @Argument(help: "The directories of the reports.", completion: .directory)
    var directories: [String]

    @Option(
        help: ArgumentHelp(
            "The page (default: history.html); - is standard output.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var output: String?

    // The parser assigns options that the parent command also has to the parent.
    @ParentCommand var verb: MatrixCommand

    func run() throws {
        if output == "-", verb.manner.json {
            throw UsageError(
                description: "--output - and --json would both print; name a file for the page")
        }
        let history = try MatrixHistory(of: directories)
        let console = verb.global.console
        for note in history.notes { console.note(note) }
        if verb.manner.json { try console.print(history.json()) }
        guard output != nil || !verb.manner.json else { return }
        let path = output ?? "history.html"
        let page = HistoryPage(history).html
        guard path != "-" else {
            try console.print(page)
            return
        }
        try ResultFile(creating: path).write(page)
        console.report("The history is \(path).")
    }
}
