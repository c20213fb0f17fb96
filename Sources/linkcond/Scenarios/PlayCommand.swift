import ArgumentParser
import Conditioner
import DataPlanes
import FoundationEssentials
import LinkModel
import LinuxKernel
import NetworkOverride
import ProfileCatalog
import Sandbox
import Scenarios

/// `linkcond play SCENARIO`
struct PlayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Plays a scenario on interfaces of this host, and then restores them.",
        discussion: """
            Conditions, their changes and ramps, what apps see of the interfaces and which is \
            preferred happen to real interfaces, as by linkcond apply and linkcond override. \
            Nothing is taken down: where the scenario takes an interface away, all its packets \
            are lost, and connections are left alone, since they belong to every program of the \
            host. What it does to an app is left out; linkcond run --scenario has one.

            It ends with the last event, or with Ctrl-C; a scenario that is repeated without end, \
            with Ctrl-C only. All is restored then, also if this process is killed.

            The exit code is 1 if something was not as the scenario expects, and 128 and the \
            number of the signal that ended it.

            Examples:
              sudo linkcond play elevator
              sudo linkcond play commute -i cell0=wwan0 -i wifi0=wlan0
              sudo linkcond play ./scenario.yaml -i eth1 -v
            """)

    @Argument(
        help: "The name of a scenario or the path of its file.",
        completion: ScenarioArgument.completion)
    var scenario: String

    @Option(
        name: [.short, .customLong("interface")],
        help: ArgumentHelp(
            "Which interface of this host stands for which of the scenario, such as wifi0=wlan0; "
                + "may be given several times. A scenario of one interface is played on the one "
                + "that is named, by default that which carries the default route.",
            valueName: "[name=]interface"))
    var interfaces: [String] = []

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    @OptionGroup(title: "Which traffic") var selectors: SelectorOptions

    @OptionGroup var sshGuard: SSHGuardOptions

    @Option(help: "What carries out the conditions.")
    var backend = DataPlanes.Backend.auto

    @Option(
        help: ArgumentHelp(
            "Decides the times that the scenario leaves open and, in the packet engine, the fate "
                + "of the packets.", valueName: "number"))
    var seed: UInt64?

    @Flag(help: "Go on where filters of other programs see packets first and may take them.")
    var force = false

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console
        let entry = try ScenarioArgument.catalog.entry(named: scenario)
        let origin = entry.file ?? entry.scenario.name
        let (scenario, notes) = entry.scenario.forHost
        var hosts = try HostInterfaces(interfaces, of: scenario)
        try target.enter(console)
        try hosts.resolve()
        let environment = ProcessInfo.processInfo.environment
        let planes = try DataPlanes(environment: environment)
        try hosts.requireNoConditions(planes)
        try hosts.requireNoOverrides()
        for note in notes { console.note(note) }
        var selector = try selectors.selector()
        try sshGuard.apply(to: &selector, console)
        let process = ProcessInfo.processInfo.processIdentifier
        let limits = HostPerformance.Limits(process: process)
        var request = ApplyRequest(
            conditions: .init(), profile: "", selector: selector, isForced: force,
            now: Int64(Date().timeIntervalSince1970))
        request.limit = limits.conditions
        let user = InvokingUser.behindSudo(environment: environment)
        let stage = HostStage(
            scenario, on: hosts, planes, request,
            backend: scenario.needsEngine && backend == .auto ? .engine : backend, seed: seed,
            overrideWatcher: limits.overrides.watcher,
            companions: Companions(
                network: try NetworkNamespace.openCurrent(), identity: user?.identity))
        var performance = HostPerformance(
            scenario, origin: origin, seed: seed ?? UInt64(UInt32.random(in: .min ... .max)),
            on: stage, limits, console)
        throw ExitCode(try performance.run())
    }
}

extension Scenario {
    /// Whether the kernel is not to do all of its conditions, and so not to begin with them.
    fileprivate var needsEngine: Bool {
        (interfaces.map(\.profile.conditions) + laterConditions).contains {
            $0.engineReason != nil
        }
    }
}
