import ArgumentParser
import DeliveryTraces
import Evidence
import LinkUnits
import LinuxKernel
import PacketEngine
import Plots
import SystemPackage

/// `linkcond trace show FILE`
struct TraceShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows what a delivery trace is like.",
        discussion: """
            Its rate over time, how the rates in stretches of 100 ms are spread, and the longest \
            time in which nothing passes.

            Examples:
              linkcond trace show train.down
              linkcond trace show train.down --svg train.svg
              linkcond trace generate cellular --seed 7 | linkcond trace show -
            """)

    @Argument(help: "The trace; - is standard input.", completion: .file())
    var file: String

    @Option(
        help: ArgumentHelp(
            "Draws it there, too: a page if the name ends in .html, else SVG.", valueName: "file"),
        completion: .file())
    var svg: String?

    @Flag(help: "Print JSON, as Profiles/schema/trace.schema.json describes it.")
    var json = false

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console
        let trace = try TraceFile.read(file)
        let name = file == "-" ? "standard input" : file
        if let svg {
            let plot = TracePlot(trace, title: name)
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

/// What `trace show --json` prints. The keys are a promise: see `Profiles/schema/trace.schema.json`.
struct TraceJSON: Encodable {
    let periodSeconds: Double
    let opportunities: Int
    let meanBitsPerSecond: UInt64
    let windowSeconds: Double
    let bitsPerSecond: [UInt64]
    let percentileBitsPerSecond: [String: UInt64]
    let silentRatio: Double
    let longestGapSeconds: Double
    let longestGapStartSeconds: Double

    init(_ trace: DeliveryTrace) {
        let statistics = TraceStatistics(trace)
        periodSeconds = trace.period / .seconds(1)
        opportunities = trace.opportunityCount
        meanBitsPerSecond = trace.meanBandwidth.bitsPerSecond
        windowSeconds = statistics.window / .seconds(1)
        bitsPerSecond = statistics.rates
        percentileBitsPerSecond = Dictionary(
            uniqueKeysWithValues: (TraceText.percentiles + [100]).map {
                ("p\($0)", statistics.rate(percentile: $0))
            })
        silentRatio = Double(statistics.silence.partsPerBillion) / 1e9
        longestGapSeconds = statistics.longestGap / .seconds(1)
        longestGapStartSeconds = statistics.longestGapStart / .seconds(1)
    }
}
