public import ArgumentParser
import LinkModel
import LinkUnits
import PacketEngine
public import Recording
import UserCatalog

extension TraceModel: ExpressibleByArgument {}

/// `linkcond trace generate MODEL`
struct TraceGenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Generates a delivery trace; the same seed gives the same trace.",
        discussion: """
            MODEL is one of:
              cellular   a moving phone: a varying rate, with outages of a second on average, \
            after the model of cellular links in Sprout (NSDI 2013)
              satellite  Starlink: a new rate every 15 seconds, after a short pause
              constant   a fixed rate

            The trace has the requested mean. It is printed, one time per line, unless --output \
            names a file.

            Examples:
              linkcond trace generate cellular --output train.down
              linkcond trace generate cellular --seed 7 --for 5m --mean '12 Mbit/s' > train.down
            """)

    @Argument(help: "The kind of link.")
    var model: TraceModel

    @Option(
        help: ArgumentHelp("The mean bandwidth.", valueName: "bandwidth"),
        transform: Self.bandwidth)
    var mean = Bandwidth.megabitsPerSecond(10)

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("The duration of the trace.", valueName: "duration"),
        transform: DurationArgument.parse)
    var duration = Duration.seconds(60)

    @Option(
        help: ArgumentHelp(
            "The random seed; default is a new one each time.", valueName: "number"))
    var seed: UInt64?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Where to write the trace; - is standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Overwrite an existing file.")
    var force = false

    @OptionGroup var global: GlobalOptions

    private static func bandwidth(_ text: String) throws -> Bandwidth {
        do {
            return try Bandwidth(parsing: text)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func validate() throws {
        guard duration >= .seconds(1) else {
            throw ValidationError(
                "--for \(duration.unitText): a trace lasts a second at least.")
        }
        guard duration <= TraceModel.longest else {
            throw ValidationError(
                "--for \(duration.unitText): a trace lasts a day at most; a link plays it again "
                    + "and again.")
        }
        if force, output == nil || output == "-" {
            throw ValidationError("--force goes with --output FILE.")
        }
    }

    func run() throws {
        let console = global.console
        // A 32-bit seed is short enough to type.
        let drawn = seed ?? UInt64(UInt32.random(in: .min ... .max))
        guard let trace = model.trace(mean: mean, for: duration, seed: drawn) else {
            throw UsageError(
                description: "a trace of \(duration.unitText) at \(mean) has no packet, or more "
                    + "than \(TraceModel.mostOpportunities); choose another --for or --mean")
        }
        if let output, output != "-" {
            try ImportFiles.write([(output, trace.text)], isForced: force)
            console.report("\(output): \(TraceText.summary(of: trace))")
        } else {
            try console.print(trace.text)
        }
        if seed == nil { console.report("seed \(drawn)") }
    }
}
