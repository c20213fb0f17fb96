public import ArgumentParser
import LinkModel
import LinkUnits
public import Matrix
import Sandbox

/// Options for the contents of a matrix.
struct MatrixOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The profiles, separated by commas.", more: "May be given several times.",
            valueName: "names"),
        completion: .profileList)
    var profiles: [String] = []

    @Option(
        help: ArgumentHelp(
            "The scenarios, separated by commas.",
            more: "Names, files, or directories of files; may be given several times.",
            valueName: "names"),
        completion: .scenarioList)
    var scenarios: [String] = []

    @Option(
        help: ArgumentHelp(
            "All profiles of a family, such as webpagetest.",
            more: "May be given several times."), completion: .families)
    var family: [String] = []

    @Option(
        help: ArgumentHelp("The file to read instead of linkcond.yaml.", valueName: "path"),
        completion: .file(extensions: ["yaml", "yml"]))
    var file: String?

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp("How often each profile is repeated.", valueName: "number"))
    var repetitions: Int?

    @Flag(help: "Skip the run without conditions.")
    var noBaseline = false

    @Option(
        help: ArgumentHelp(
            "Only cells that failed in an earlier report.",
            more: "With the same seeds and settings unless given here.", valueName: "directory"),
        completion: .directory)
    var rerunFailed: String?

    func validate() throws {
        let most = MatrixSpecification.mostCells
        if let repetitions, !(1...most).contains(repetitions) {
            throw ValidationError("--repeat \(repetitions) is outside 1 to \(most)")
        }
    }
}

/// Options of `linkcond run` that hold for every cell.
struct CellNetworkOptions: ParsableArguments {
    @OptionGroup var server: ServerOptions

    @Option(help: "How the command reaches this host's network.")
    var uplink: SandboxRequest.Uplink?

    @Flag(help: "Also condition traffic among the command's processes.")
    var loopback = false

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Change a field of every profile, such as down.loss=2%; may be given several times.",
            valueName: "field=value"),
        completion: .settings)
    var settings: [String] = []

    @Option(help: "The data plane that applies the conditions; the engine unless kernel is given.")
    var backend: Backend?

    @OptionGroup var drain: DrainOptions

    @OptionGroup var faithful: ToleranceOptions

    @OptionGroup var override: OverrideOptions

    /// Replaces the settings given by the options.
    func change(_ network: inout CellNetwork) {
        if !server.commands.isEmpty {
            network.servers = server.commands
            network.serverPorts = server.readyPorts
        } else if !server.readyPorts.isEmpty {
            network.serverPorts = server.readyPorts
        }
        if let stop = server.stop { network.serverStop = stop.tcText }
        if let limit = drain.limit { network.drain = limit.tcText }
        if let limit = faithful.limit { network.faithful = limit.tcText }
        if let uplink { network.uplink = uplink.rawValue }
        if loopback { network.conditionsLoopback = true }
        if !settings.isEmpty { network.settings = settings }
        if let backend { network.backend = backend }
        network.override = network.override.overridden(by: override.change)
        network.overrides = network.overrides.mapValues { $0.overridden(by: override.change) }
    }
}

/// Options for how a matrix runs.
struct MatrixMannerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many cells run at once.",
            more: "Default: the number of processors, fewer if cells disturb each other, more if "
                + "they leave the processors idle.", valueName: "number"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "End the command of a cell after this time.", more: "Such as 5m or '90 s'.",
            valueName: "duration"),
        transform: DurationArgument.parse)
    var timeout: Duration?

    @Option(
        help: ArgumentHelp(
            "How often a failed cell is repeated.", more: "One that then passes is flaky.",
            valueName: "number"))
    var retries: Int?

    @Option(
        help: ArgumentHelp(
            "Cells to repeat if the machine was busy.",
            more: "They run once more, by themselves at the end. Default: failed.",
            valueName: "cells"))
    var retryUnfaithful: UnfaithfulRetry?

    @Flag(help: "End the matrix when a cell fails.")
    var failFast = false

    @Option(
        help: ArgumentHelp(
            "The same seed loses the same packets.",
            more: "The seeds of the cells derive from it.", valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "The directory for the reports and the logs.", valueName: "directory"),
        completion: .directory)
    var report: String?

    @Option(
        help: ArgumentHelp(
            "Go on with the matrix in this directory.",
            more: "Only what has no result runs.", valueName: "directory"),
        completion: .directory)
    var resume: String?

    @Option(
        help: ArgumentHelp(
            "Which of its files are JUnit files: '**/junit-*.xml'.",
            more: "Those in LINKCOND_OUTPUT. Default: every .xml file in JUnit format.",
            valueName: "pattern"))
    var collect: String?

    @Flag(
        help: ArgumentHelp(
            "Print the report as JSON.", more: "Profiles/schema/report.schema.json describes it."))
    var json = false

    func validate() throws {
        let (mostJobs, mostRetries) =
            (MatrixSpecification.mostJobs, MatrixSpecification.mostRetries)
        if let jobs, !(1...mostJobs).contains(jobs) {
            throw ValidationError("--jobs \(jobs) is outside 1 to \(mostJobs)")
        }
        if let retries, !(0...mostRetries).contains(retries) {
            throw ValidationError("--retries \(retries) is outside 0 to \(mostRetries)")
        }
        if let timeout, timeout <= .zero {
            throw ValidationError("--timeout has to be more than nothing")
        }
        if report == "-" {
            throw ValidationError(
                "--report -: a report is a directory of several files, so it cannot be standard "
                    + "output; --json prints the report")
        }
    }
}

/// Options for sharing a matrix among machines.
struct MatrixMachineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Print the jobs for a CI engine.", more: "Run nothing."))
    var plan: PlanEngine?

    @Option(
        help: ArgumentHelp(
            "Run only the i-th of n parts; 1/1 for all.",
            more: "Default: the part that the CI engine's variables name, if any.",
            valueName: "i/n"),
        transform: ShardArgument.parse)
    var shard: Shard?

    @Option(
        help: ArgumentHelp(
            "Share the cells with all workers that name it.",
            more: "The directory gets the report.", valueName: "directory"),
        completion: .directory)
    var queue: String?

    @Option(
        help: ArgumentHelp(
            "How long a worker of the queue may be silent.",
            more: "Then others take its cells. What the first one says counts.",
            valueName: "duration"), transform: DurationArgument.parse)
    var lease = Duration.seconds(60)

    @Option(
        help: ArgumentHelp(
            "The number of parts for --plan.",
            more: "Default: one per cell; 4 workers with --queue.", valueName: "number"))
    var shards: Int?

    @Option(
        help: ArgumentHelp(
            "An earlier report, to balance the parts.", more: "Its durations are used.",
            valueName: "directory"),
        completion: .directory)
    var balanceBy: String?

    @Option(
        help: ArgumentHelp(
            "The container image for --plan.",
            more: "For kubernetes and github-workflow.", valueName: "name"))
    var image = "linkcond-tests:latest"

    func validate() throws {
        if let shards, !(1...Shard.mostParts).contains(shards) {
            throw ValidationError("--shards \(shards) is outside 1 to \(Shard.mostParts)")
        }
        if !(.seconds(1)...MatrixRecord.longestLease).contains(lease) {
            throw ValidationError("--lease is not between 1 s and a day")
        }
    }
}

extension PlanEngine: ExpressibleByArgument {}

extension UnfaithfulRetry: ExpressibleByArgument {}

/// A part of a matrix on the command line.
enum ShardArgument {
    static func parse(_ text: String) throws -> Shard {
        guard let shard = Shard(text) else {
            throw ValidationError(
                "\"\(text)\" is not a part of a whole of at most \(Shard.mostParts); write it as "
                    + "2/3")
        }
        return shard
    }
}
