import ArgumentParser
import Bisection
import FoundationEssentials
import HostConditioning
import LinkModel
import LinkUnits
import LinuxKernel
import Matrix
import Recording
import SandboxRuns
import UserCatalog

/// `linkcond bisect PROFILE --vary FIELD --from X --to Y -- COMMAND`
struct BisectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bisect",
        abstract: "Finds the condition at which a command begins to fail.",
        usage: """
            linkcond bisect [<options>] [<profile>] --vary <quantity> --from <value> --to <value> \
            -- <command> ...
            """,
        discussion: HelpScreen.discussion(
            """
            The command runs again and again, each time in a sandbox like that of linkcond run with \
            another value of the quantity. The answer is where half of the runs fail, with a 95% \
            interval. Either end may be the good one.
            """, reference: reference, examples: examples))

    @Argument(
        help: ArgumentHelp(
            "The name of a profile or the path of its file.", more: "Omitted with --scenario."),
        completion: .profiles)
    var profile: String?

    @Option(
        help: ArgumentHelp(
            "What varies: down.bandwidth, delay, loss, outage.",
            more: "A field of the profile, of one direction or of both; dns.delay; outage, the "
                + "length of an outage; or scenario:3.at, the time of an event.",
            valueName: "quantity"),
        completion: .list(VariedQuantity.names))
    var vary: String

    @Option(help: ArgumentHelp("One end, such as 10Mbit/s.", valueName: "value"))
    var from: String

    @Option(help: ArgumentHelp("The other end.", valueName: "value"))
    var to: String

    @Option(
        help: ArgumentHelp(
            "How near neighbouring values are.",
            more: "A part of the value, or of the range if an end is 0.", valueName: "share"))
    var precision = "5%"

    @OptionGroup var scenario: ScenarioOptions

    @Option(
        help: ArgumentHelp(
            "When an outage begins, such as '1 s'.", more: "From the start of the command.",
            valueName: "duration"), transform: DurationArgument.parse)
    var outageAt = Duration.seconds(1)

    @Option(
        help: ArgumentHelp(
            "Judge by duration, or by a number it prints.",
            more: "A regular expression, whose first group is the number; the last match counts. A "
                + "run without one fails, and so does a run that does not end with 0.",
            valueName: "duration|regex"))
    var measure: String?

    @Option(
        help: ArgumentHelp(
            "The limit of the measure: '10 s', 'at least 5'.",
            more: "At most, unless it begins with at least.", valueName: "limit"))
    var limit: String?

    @Option(
        help: ArgumentHelp(
            "End with what is known after this time, such as 10m.", valueName: "duration"),
        transform: DurationArgument.parse)
    var budget: Duration?

    @Option(help: ArgumentHelp("How many runs count at most.", valueName: "number"))
    var trials = 100

    @Option(
        help: ArgumentHelp(
            "How many runs go on at once.",
            more: "Default: the number of processors, fewer if they disturb each other, more if "
                + "they leave the processors idle.", valueName: "number"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "Keep each run here, and go on from there.",
            more: "Without it, nothing is kept.", valueName: "directory"), completion: .directory)
    var resume: String?

    @Option(
        help: ArgumentHelp(
            "End a run after this time; it then fails.", valueName: "duration"),
        transform: DurationArgument.parse)
    var timeout: Duration?

    @Option(
        help: ArgumentHelp("The seed from which those of the runs derive.", valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Also plot the share of runs that pass: HTML or SVG.",
            more: "SVG if the name ends in .svg.", valueName: "file"), completion: .file())
    var html: String?

    @Flag(
        help: ArgumentHelp(
            "Print JSON.", more: "Profiles/schema/bisect.schema.json describes it."))
    var json = false

    @OptionGroup(title: "The network of each run", visibility: HelpScreen.rare)
    var network: CellNetworkOptions

    @OptionGroup var global: GlobalOptions

    @Argument(
        parsing: .postTerminator, help: "The command and its arguments, after --.")
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else {
            throw ValidationError(
                "there is no command; write it behind --, as in: linkcond bisect LTE --vary "
                    + "down.bandwidth --from 10Mbit/s --to 50kbit/s -- npm test")
        }
        guard (profile == nil) != (scenario.name == nil) else {
            throw ValidationError(
                profile == nil
                    ? "there is no profile; name one, as in: linkcond bisect LTE, or a scenario"
                    : "PROFILE and --scenario both say what the network is like; leave one out")
        }
        if let jobs, !(1...MatrixSpecification.mostJobs).contains(jobs) {
            throw ValidationError("--jobs \(jobs) is outside 1 to \(MatrixSpecification.mostJobs)")
        }
        guard (7...10_000).contains(trials) else {
            throw ValidationError("--trials \(trials) is outside 7 to 10000")
        }
        for (name, time) in [("--budget", budget), ("--timeout", timeout)] {
            if let time, time <= .zero {
                throw ValidationError("\(name) has to be more than nothing")
            }
        }
    }

    func run() throws {
        let console = global.console
        let quantity = try VariedQuantity(named: vary)
        if scenario.name != nil, case .event = quantity.subject {
        } else if scenario.name != nil {
            throw UsageError(
                description: "--vary \(vary) is of a profile; with a scenario vary the time of an "
                    + "event, such as scenario:3.at")
        }
        let share: Double
        do {
            share = try Ratio(parsing: precision).value
        } catch {
            throw UsageError(description: "--precision: \(error)")
        }
        guard (0.0001...0.5).contains(share) else {
            throw UsageError(description: "--precision \(precision) is outside 0.01% to 50%")
        }
        let range = try SearchedRange(from: from, to: to, of: quantity, precision: share)
        var cellNetwork = CellNetwork()
        network.change(&cellNetwork)
        let request = BisectionRequest(
            command: LinuxKernel.Process.argumentsBehindHyphens.map(\.description),
            profile: profile, scenario: scenario.name, quantity: vary,
            from: range.texts[0], to: range.texts[range.texts.count - 1], precision: share,
            outageAtSeconds: quantity.subject == .outage ? outageAt / .seconds(1) : nil,
            rule: try SuccessRule(measure: measure, limit: limit),
            timeLimitSeconds: timeout.map { $0 / .seconds(1) }, network: cellNetwork,
            seed: seed ?? UInt64(UInt32.random(in: .min ... .max)))
        let page = try html.map { try ResultFile(creating: $0) }
        let user = InvokingUser.behindSudo(environment: ProcessInfo.processInfo.environment)
        let launcher = try SandboxTrials(request, quantity, user: user)
        let scratch =
            try resume == nil
            ? ScratchDirectory(prefix: "linkcond-bisect-", owner: user?.identity) : nil
        defer { scratch?.remove() }
        let store = try BisectionStore(
            at: resume ?? scratch?.url.path ?? "", request, owner: user?.identity)
        var runner = try BisectionRunner(
            store, range: range, mostRuns: trials, budget: budget, jobs: jobs, launcher: launcher,
            listener: BisectView(console: console))
        let (report, interruption) = try runner.run()
        if let page {
            let isPicture = page.path.lowercased().hasSuffix(".svg")
            try page.write(isPicture ? report.plot.svg : report.plot.html)
            WrittenReports.note(page.path, environment: ProcessInfo.processInfo.environment)
        }
        try console.print(
            json ? JSONText.text(of: report) : BisectText.page(report, isStyled: console.isStyled))
        if let interruption { throw ExitCode(128 + interruption) }
        guard report.outcome == .found else { throw ExitCode(.failed) }
    }
}

/// Shows the progress of a search on standard error.
private struct BisectView: BisectionListener {
    let console: Console

    func ended(_ trial: TrialRecord) {
        let end =
            switch trial.passed {
            case true?: "passed"
            case false?: trial.isTimedOut ? "failed (time limit)" : "failed"
            case nil: "thrown away: the machine was too busy"
            }
        console.report(
            "[\(trial.number)] \(trial.value): \(end), \(trial.durationSeconds.secondsText)")
    }
}
