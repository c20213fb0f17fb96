import ArgumentParser
import Catalog
import FoundationEssentials
import HostConditioning
import KernelPlane
import LinkModel
import LinuxKernel
import Recording
import Sandbox
import SandboxRuns
import Scenarios
import UserCatalog

/// `linkcond run PROFILE -- COMMAND`
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        // For Program, which parses the arguments without the tree of commands.
        _superCommandName: "linkcond",
        abstract: "Runs a command on its own conditioned network; needs no root.",
        usage: "linkcond run [<options>] [<profile>] -- <command> ...",
        discussion: HelpScreen.discussion(
            """
            The command gets its own network, and all its traffic crosses the conditioned link. \
            Nothing on this host changes, and everything is gone when the command ends, even \
            after SIGKILL. Standard streams, terminal, signals, working directory, environment \
            and user are the same as without linkcond.

            Inside, host.linkcond is this host's loopback, and server.linkcond is where the \
            servers of --server run, in their own network.
            """, reference: reference, examples: examples, moreExamples: moreExamples))

    @Argument(
        help: ArgumentHelp(
            "The name of a profile or the path of its file.",
            more: "Omitted with --interface and --scenario."),
        completion: .profiles)
    var profile: String?

    @OptionGroup var interfaceOptions: InterfaceOptions

    @OptionGroup var scenario: ScenarioOptions

    @OptionGroup var server: ServerOptions

    @Option(help: "How the command reaches this host's network.")
    var uplink = SandboxRequest.Uplink.auto

    @OptionGroup var network: NetworkOptions

    @Option(
        help: ArgumentHelp(
            "Multipath TCP.",
            more: "How the command's TCP connections use its interfaces. Default: that of the "
                + "scenario, else off.", valueName: "mode"))
    var multipath: MultipathMode?

    @Flag(help: "Also condition traffic among the command's processes.")
    var loopback = false

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Change a field of the profile, such as down.loss=2%.",
            more: "Or dns.delay='3 s'; may be given several times.", valueName: "field=value"),
        completion: .settings)
    var settings: [String] = []

    @Option(help: "The data plane that applies the conditions.")
    var backend = Backend.auto

    @Option(
        help: ArgumentHelp(
            "The random seed: the same seed loses the same packets.",
            valueName: "number"))
    var seed: UInt64?

    @OptionGroup(visibility: HelpScreen.rare) var faithful: ToleranceOptions

    @Option(
        help: ArgumentHelp(
            "End the command after this time, such as 5m or '90 s'.",
            valueName: "duration"),
        transform: DurationArgument.parse)
    var timeout: Duration?

    @OptionGroup var drain: DrainOptions

    @OptionGroup(title: "What the command sees of its interface") var override: OverrideOptions

    @OptionGroup(title: "D-Bus") var bus: BusOptions

    @OptionGroup var recording: RecordingOptions

    @OptionGroup var global: GlobalOptions

    @Argument(
        parsing: .postTerminator,
        help: "The command and its arguments, after --.")
    var command: [String] = []

    func validate() throws {
        // The apps of a scenario may name their own.
        guard !command.isEmpty || scenario.name != nil else {
            throw ValidationError(
                "there is no command; write it behind --, as in: linkcond run LTE -- curl URL")
        }
        let networks = [
            profile != nil, !interfaceOptions.texts.isEmpty, scenario.name != nil,
        ].count(where: \.self)
        guard networks > 0 else {
            throw ValidationError(
                "there is no profile; name one, as in: linkcond run LTE -- curl URL, or "
                    + "interfaces, as in: --interface wifi0=WiFi, or a scenario")
        }
        guard networks == 1 else {
            throw ValidationError(
                "PROFILE, --interface and --scenario are several ways to say what the network is "
                    + "like; leave all but one of them out")
        }
        if let problem = ServerPort.problem(of: server.readyPorts, servers: server.commands) {
            throw ValidationError(problem)
        }
        guard scenario.name == nil || settings.isEmpty && override.change == InterfaceOverride()
        else {
            throw ValidationError(
                "a scenario says itself what its interfaces are like; leave out --set, "
                    + "--expensive and the like")
        }
        guard profile != nil || settings.isEmpty else {
            throw ValidationError(
                "--set changes PROFILE; write it behind the interface that is meant, as in: "
                    + "--interface wifi0=WiFi,\(settings[0])")
        }
        guard profile != nil || override.change == InterfaceOverride() else {
            throw ValidationError(
                "--expensive and the like are of the one interface of PROFILE; write it behind "
                    + "the interface that is meant, as in: --interface cell0=LTE,expensive")
        }
    }

    func run() throws {
        KernelThread.hurry()
        let console = global.console
        var request = try request(
            command: LinuxKernel.Process.argumentsBehindHyphens)
        request.servers = server.commands.map { .shell($0) }
        request.serverPorts = server.readyPorts
        request.uplink = uplink
        request.publishedPorts = network.publishedPorts
        request.congestionControl = network.congestionControl
        request.mapsRoot = network.mapsRoot
        request.backend = backend
        if let multipath { request.multipath = multipath }
        request.conditionsLoopback = loopback
        request.seed = seed
        request.tolerance = faithful.tolerance
        request.timeout = timeout
        if let stop = server.stop { request.serverStop = stop }
        request.drain = drain.limit
        try recording.requireEngine(ifNeededBy: request)
        try request.complete(
            isOverridden: override.change != InterfaceOverride(), console, bus: bus.bus)
        if recording.counterfactual, let obstacle = CounterfactualRuns.obstacle(of: request) {
            throw UsageError(description: "--counterfactual: \(obstacle)")
        }
        let plain = request
        let explanation = try recording.explain.map {
            try ExplainedRun(file: $0, capture: recording.pcap, owner: request.identity)
        }
        let files = try recording.files(
            for: &request, capture: recording.pcap ?? explanation?.capture)
        if explanation != nil {
            // Of an app without processor time, its own waits say little.
            request.recording.wantsProcessorUse = true
            // They tell what became of the capture.
            request.recording.wantsStatistics = true
        }
        let beginning = Date()
        let outcome = try Sandbox.run(request, listener: console)
        var isWritten = outcome.unwrittenFiles == 0
        if let statistics = outcome.statistics {
            let json = RunStatisticsJSON(
                request, settings: settings, startedAt: beginning, exitCode: outcome.exitCode,
                link: statistics, version: "\(ProgramVersion.current)")
            isWritten = files.write(try JSONText.text(of: json), console) && isWritten
            let isDrawn = files.draw(request, statistics, console)
            if isDrawn, let page = recording.timeline {
                WrittenReports.note(page, environment: ProcessInfo.processInfo.environment)
            }
            isWritten = isDrawn && isWritten
        }
        let again = recording.counterfactual ? (plain, outcome) : nil
        let recorded = outcome.statistics?.recording.capture
        let (isExplained, interruption) =
            explanation?.write(recorded: recorded, again: again, console) ?? (true, nil)
        isWritten = isExplained && isWritten
        if let interruption { throw ExitCode(128 + interruption) }
        // A failure of the command takes precedence.
        if !isWritten, outcome.exitCode == 0 { throw ExitCode(.cannotWrite) }
        throw ExitCode(outcome.exitCode)
    }

    /// The request: a scenario, several interfaces, or one interface with a profile.
    private func request(command: [RawText]) throws -> SandboxRequest {
        if let entry = try scenario.entry() {
            return try SandboxRequest(entry, command: command)
        }
        guard let profile else {
            return SandboxRequest(
                interfaces: try interfaceOptions.interfaces(), command: command)
        }
        let found = try UserCatalog.profiles.entry(named: profile).profile
        return SandboxRequest(
            conditions: try found.conditions(changedBy: settings),
            profile: found.id, mark: override.change.mark(found), command: command)
    }
}

extension Console: Sandbox.Listener {}
