import ArgumentParser
import Catalog
import FoundationEssentials
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
        abstract: "Runs a command on its own conditioned network; needs no root.",
        discussion: """
            The command gets its own network, and all its traffic crosses the conditioned link. \
            Nothing on this host changes, and everything is gone when the command ends, even \
            after SIGKILL. Standard streams, terminal, signals, working directory, environment \
            and user are the same as without linkcond.

            Inside, host.linkcond is this host's loopback, and server.linkcond is where the \
            servers of --server run, in their own network.

            --publish 8080:80 lets 127.0.0.1:8080 and [::1]:8080 of this host lead to port 80 of \
            the command. The server has to listen on all addresses, such as 0.0.0.0, and sees its \
            clients as host.linkcond.

            --loopback also conditions traffic between the command's processes over 127.0.0.1, \
            ::1 or their other addresses: packets to a server get the profile's up, replies its \
            down, on a link separate from the one to host.linkcond. The server is the end with a \
            port below 32768, else (TCP) the end with the odd port, as the kernel assigns ports, \
            else the end with the lower port. The packet engine does this, whatever --backend \
            says. Capture and log do not include this link.

            --interface, once per interface, gives the command several interfaces, each with its \
            own link, addresses and kind. The kind follows from names such as wifi0, wlan0, cell0, \
            wwan0, eth0, vpn0 and tun0, else from the profile, or from kind=. Connections use the \
            first interface unless they are bound to another one or its address. All interfaces \
            reach the same hosts and servers; --loopback uses the conditions of the first.

            The command's interface has the kind of the profile, such as cellular, which is \
            expensive; options change that. Swift apps see it with the library NetworkPath, other \
            programs with linkcond path. LINKCOND_INTERFACE_KIND, LINKCOND_EXPENSIVE and \
            LINKCOND_CONSTRAINED (1 or 0) hold the initial values of the first interface. \
            linkcond override set changes them, inside or with --pid.

            With --scenario the network changes while the command runs, and the scenario can \
            suspend, terminate and restart the command with all its descendants: with SIGTERM, \
            and SIGKILL after 5 s, or SIGKILL at once while it is suspended. The run continues \
            while a restart is due; the exit code is that of the last start. Failed expectations \
            are reported with file and line, and change exit code 0 to 1; if the scenario expects \
            an exit code, run exits with 0 or 1, whatever the command's is. -v prints every event, \
            --stats and --timeline record them. LINKCOND_SCENARIO holds the name.

            A scenario can have several apps (apps:), each on a device with its own interfaces and \
            home. All run the command, or the one that the scenario names. LINKCOND_DEVICE holds \
            the name of the device; linkcond status, path and override concern the device where \
            they run. The run ends when all apps have ended. The exit code is the first one, in \
            the order of the file, that is not 0 and not checked by an expectation. --loopback and \
            --publish need a single device.

            With --multipath TCP connections use several interfaces through Multipath TCP: \
            handover uses the most preferred one, and the others if it fails; interactive uses \
            the one with the lowest RTT; aggregate uses all at once. Programs and servers need no \
            change; linkcond status shows the paths.

            When the command ends, its processes get SIGTERM, and SIGKILL after 5 s. The data that \
            they have sent keeps crossing the link, as it would from a host that stays up, until \
            all of it has arrived, for 60 s at most, or until Ctrl-C. Data that does not arrive is \
            reported, and its connections are reset. Servers run until then.

            The exit code is the command's, or 128 plus the number of the signal that killed it; \
            124 if it ran longer than --timeout; 69 if the kernel lacks Multipath TCP or the \
            congestion control; 73 instead of 0 if a file of --stats, --timeline, --pcap or --log \
            could not be written; 74 or 78 if a delivery trace cannot be read or is invalid; 125 \
            if linkcond failed; 126 if the command cannot be executed; 127 if it is not found.

            Examples:
              linkcond run LTE -- curl -O http://host.linkcond:8000/file
              linkcond run 3G --server 'python3 -m http.server 8000' --server-ready 8000 \\
                  --uplink none -- curl -O http://server.linkcond:8000/file
              linkcond run Edge --set down.loss=2% --seed 7 -- npm test
              linkcond run --interface wifi0=WiFi --interface cell0=LTE,expensive \\
                  -- ./my-app
              linkcond run --scenario elevator -- npm test
              linkcond run --interface wifi0=WiFi --interface cell0=LTE \\
                  --multipath handover -- curl -O http://host.linkcond:8000/file
              linkcond run LTE --pcap lte.pcapng --stats lte.json -- npm test
            """)

    @Argument(
        help: ArgumentHelp(
            "The name of a profile or the path of its file; omitted with --interface and "
                + "--scenario."),
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
            "How the command's TCP connections use its interfaces (Multipath TCP). Default: that "
                + "of the scenario, else off.", valueName: "mode"))
    var multipath: MultipathMode?

    @Flag(help: "Also condition loopback traffic between the command's processes.")
    var loopback = false

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Change a field of the profile, such as down.loss=2% or dns.delay='3 s'; may be "
                + "given several times.", valueName: "field=value"))
    var settings: [String] = []

    @Option(help: "The data plane that applies the conditions.")
    var backend = Backend.auto

    @Option(
        help: ArgumentHelp(
            "The random seed: the same seed loses the same packets.",
            valueName: "number"))
    var seed: UInt64?

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
        let console = global.console
        var request = try request(
            command: LinuxKernel.Process.argumentsBehindHyphens)
        request.servers = server.commands.map { .shell($0) }
        request.serverPorts = server.readyPorts
        request.uplink = uplink
        request.publishedPorts = network.publishedPorts
        request.congestionControl = network.congestionControl
        request.mapsRoot = network.mapsRoot
        request.isJob = console.hasTerminal
        request.backend = backend
        if let multipath { request.multipath = multipath }
        request.conditionsLoopback = loopback
        request.seed = seed
        request.timeout = timeout
        if let stop = server.stop { request.serverStop = stop }
        request.drain = drain.limit
        try recording.requireEngine(ifNeededBy: request)
        let environment = ProcessInfo.processInfo.environment
        if let user = InvokingUser.behindSudo(environment: environment) {
            request.identity = user.identity
            request.variables = user.variables
        }
        let isOverridden = override.change != InterfaceOverride() || request.saysMoreThanKinds
        request.bus = try bus.bus(isOverridden: isOverridden, console)
        request.describeNetwork()
        for note in request.proxyNotes(environment) { console.note(note) }
        let files = try recording.files(for: &request)
        let beginning = Date()
        let outcome = try Sandbox.run(request, listener: console)
        var isWritten = outcome.unwrittenFiles == 0
        if let statistics = outcome.statistics {
            let json = RunStatisticsJSON(
                request, settings: settings, startedAt: beginning, exitCode: outcome.exitCode,
                link: statistics, version: "\(ProgramVersion.current)")
            isWritten = files.write(try JSONText.text(of: json), console) && isWritten
            isWritten = files.draw(request, statistics, console) && isWritten
        }
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
