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
        abstract: "Runs a command on a conditioned network of its own; needs no root.",
        discussion: """
            The command gets a network whose only way out is conditioned as the profile says. \
            Nothing on this host changes, and everything is gone when the command ends, even \
            after SIGKILL. Standard streams, terminal, signals, working directory and environment \
            are the command's as they would be without linkcond; it runs as the user who calls.

            host.linkcond is this host's loopback, as seen from the command; server.linkcond is \
            where the servers of --server are, which share a network of their own.

            With --loopback the conditions also hold between the command's own processes, when \
            they talk over 127.0.0.1, ::1 or another address of their own: packets to a server \
            go by the profile's up, answers by its down, on a link apart from the one to \
            host.linkcond. The server is who has a port below 32768, else (TCP) who has the odd \
            port, as the kernel hands out, else who has the lower one. The packet engine does \
            it, whatever --backend says. Capture and log are of the other link only.

            With --interface, given once for each, the command has other interfaces than one, each \
            with a link, addresses and a kind of its own: wifi0, wlan0, cell0, wwan0, eth0, vpn0, \
            tun0 and the like by their names, others by their profiles, or kind=. Connections take \
            the first; those bound to an interface or its address stay there. Hosts and servers \
            are the same over all; the loopback's conditions are those of the first.

            The command's interface is of the profile's kind, such as cellular, which is \
            expensive; options change that. Swift apps see it by the library NetworkPath, \
            everybody by linkcond path and, as it is at the start, in LINKCOND_INTERFACE_KIND, \
            LINKCOND_EXPENSIVE and LINKCOND_CONSTRAINED (1 or 0; of several interfaces those of \
            the first). linkcond override set changes it, inside or with --pid.

            With --scenario the network changes while the command runs, and the command itself is \
            suspended, ended or started again as the scenario says: with all processes that came \
            of it, by SIGTERM and after 5 s by SIGKILL, or at once by SIGKILL while it is \
            suspended. The run goes on while the command is still to be started again, and its \
            exit code is that of the last time. What is not as the scenario expects is told by \
            file and line, and makes an exit code of 0 one of 1; where the scenario expects an \
            exit code, run ends with 0 or 1, whatever the command's is. -v tells every event, --stats \
            and --timeline keep them. The name is in LINKCOND_SCENARIO.

            With --multipath TCP connections use several interfaces, by Multipath TCP: handover \
            keeps to the most preferred one and goes on by the others when that fails; \
            interactive uses the one with the shortest round trip; aggregate uses all at once. \
            Programs and servers need know nothing of it; linkcond status shows the paths.

            When the command ends, its processes get SIGTERM and after 5 s SIGKILL, and what they \
            have sent goes on over the link, as it would from a host that lives on: until all of \
            it has arrived, for 60 s at most, and no longer than until Ctrl-C. What does not \
            arrive by then is told, and its connections are reset. Servers are there until then.

            The exit code is the command's, or 128 and the number of the signal that killed it; \
            124 if it ran longer than --timeout; 69 if the kernel lacks Multipath TCP; 73 instead of 0 \
            if a file of --stats, --timeline, --pcap or --log could not be written; 74 or 78 if \
            a delivery trace cannot be read or is wrong; 125 if linkcond failed; 126 if the \
            command cannot be executed; 127 if there is none of that name.

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
            "The name of a profile or the path of its file; left out with --interface and "
                + "--scenario."),
        completion: .profiles)
    var profile: String?

    @OptionGroup var interfaceOptions: InterfaceOptions

    @OptionGroup var scenario: ScenarioOptions

    @OptionGroup var server: ServerOptions

    @Option(help: "How the command reaches this host's network.")
    var uplink = SandboxRequest.Uplink.auto

    @Option(
        help: ArgumentHelp(
            "How the command's TCP connections use its interfaces (Multipath TCP). Default: as "
                + "the scenario says, else off.", valueName: "mode"))
    var multipath: MultipathMode?

    @Flag(help: "Condition also what the command's processes send each other over the loopback.")
    var loopback = false

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Changes a field of the profile, such as down.loss=2% or dns.delay='3 s'; may be "
                + "given several times.", valueName: "field=value"))
    var settings: [String] = []

    @Option(help: "What carries out the conditions.")
    var backend = Backend.auto

    @Option(
        help: ArgumentHelp(
            "Decides the fate of the packets: the same seed loses the same ones.",
            valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "Ends the command when it has run this long, such as 5m or '90 s'.",
            valueName: "duration"),
        transform: DurationArgument.parse)
    var timeout: Duration?

    @OptionGroup var drain: DrainOptions

    @OptionGroup(title: "What the command sees of its interface") var override: OverrideOptions

    @OptionGroup(title: "By which D-Bus it sees that") var bus: BusOptions

    @OptionGroup var recording: RecordingOptions

    @OptionGroup var global: GlobalOptions

    @Argument(
        parsing: .postTerminator,
        help: "The command and its arguments, behind two hyphens.")
    var command: [String] = []

    func validate() throws {
        guard !command.isEmpty else {
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
        let files = try RunFiles(recording.paths, for: &request)
        let beginning = Date()
        let outcome = try Sandbox.run(request, listener: console)
        var isWritten = outcome.unwrittenFiles == 0
        if let statistics = outcome.statistics {
            let json = RunStatisticsJSON(
                request, settings: settings, startedAt: beginning, exitCode: outcome.exitCode,
                link: statistics)
            isWritten = files.write(try JSONText.text(of: json), console) && isWritten
            isWritten = files.draw(request, statistics, console) && isWritten
        }
        // A failure of the command takes precedence.
        if !isWritten, outcome.exitCode == 0 { throw ExitCode(ExitStatus.cannotWrite.rawValue) }
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
