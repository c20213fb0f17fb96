import ArgumentParser
import LinuxKernel
import Recording
import SystemPackage
import UserCatalog

/// `linkcond trace show FILE`
struct TraceShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the rates of a delivery trace.",
        discussion: """
            It shows the rate over time, the distribution of the rates in intervals of 100 ms, \
            and the longest pause.

            Examples:
              linkcond trace show train.down
              linkcond trace show train.down --svg train.svg
              linkcond trace generate cellular --seed 7 | linkcond trace show -
            """)

    @Argument(help: "The trace; - is standard input.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "Also plot it to this file: HTML if the name ends in .html, else SVG; - prints only the SVG.",
            valueName: "file"),
        completion: .file())
    var svg: String?

    @Flag(help: "Print JSON, as Profiles/schema/trace.schema.json describes it.")
    var json = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if svg == "-", json {
            throw ValidationError(
                "--svg - and --json would both print; name a file for one of them.")
        }
    }

    func run() throws {
        let console = global.console
        let trace = try TraceFile.read(file)
        let name = file == "-" ? "standard input" : file
        if let svg {
            let plot = TracePlot(trace, title: name)
            guard svg != "-" else {
                try console.print(plot.svg)
                return
            }
            let isPage = svg.lowercased().hasSuffix(".html")
            try ResultFile(creating: svg).write(isPage ? plot.html : plot.svg)
        }
        if json {
            try console.print(JSONText.text(of: TraceJSON(trace)))
        } else {
            let terminal = TerminalSize.current(of: .standardOutput)?.columns ?? 80
            try console.print(
                TraceText.page(trace, name: name, columns: min(max(terminal, 40), 120)))
        }
    }
}
