import ArgumentParser
import Catalog
import DataPlanes
import FoundationEssentials
import HostConditioning
import LinkModel
import LinuxKernel
import Sandbox
import Scenarios
import UserCatalog

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
        completion: .scenarios)
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
    var backend = Backend.auto

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
        let entry = try UserCatalog.scenarios.entry(named: scenario)
        let (scenario, notes) = entry.scenario.forHost
        var hosts = try HostInterfaces(interfaces, of: scenario)
        try target.enter(console)
        let environment = ProcessInfo.processInfo.environment
        let planes = DataPlanes(environment: environment)
        try hosts.resolve(planes)
        for note in notes { console.note(note) }
        var selector = try selectors.selector()
        try sshGuard.apply(to: &selector, console)
        let manner = HostPerformance.Manner(
            selector: selector, backend: backend, seed: seed, isForced: force,
            identity: InvokingUser.behindSudo(environment: environment)?.identity)
        var performance = try HostPerformance(
            scenario, origin: entry.file ?? scenario.name, on: hosts, planes, manner
        ) { remark in
            switch remark {
            case .event(let text): console.report(text)
            case .failedExpectation(let text): console.fail(text)
            case .note(let text): console.note(text)
            }
        }
        switch try performance.run() {
        case .over(let isAsExpected):
            throw ExitCode(isAsExpected ? ExitStatus.done.rawValue : ExitStatus.failed.rawValue)
        case .interrupted(let signal): throw ExitCode(128 + signal)
        }
    }
}
