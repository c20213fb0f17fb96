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
        abstract: "Plays a scenario on interfaces of this host, then restores them.",
        usage: "linkcond play [<options>] <scenario>",
        discussion: HelpScreen.discussion(
            """
            Like linkcond apply and linkcond override, it changes conditions, what apps see, and \
            preference of real interfaces. It takes no interface down: an interface that the \
            scenario removes drops all its packets instead. Connections stay, since they belong to \
            every program of the host. Events for the app are skipped; use linkcond run \
            --scenario for them.
            """, reference: reference, examples: examples))

    @Argument(
        help: "The name of a scenario or the path of its file.",
        completion: .scenarios)
    var scenario: String

    @Option(
        name: [.short, .customLong("interface")],
        help: ArgumentHelp(
            "The host's interface for one of the scenario.",
            more: "Such as wifi0=wlan0; may be given several times. For a scenario with one "
                + "interface, the name alone is enough; default is the interface with the default "
                + "route.",
            valueName: "[name=]interface"),
        completion: .hostInterfaces)
    var interfaces: [String] = []

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    @OptionGroup(title: "Which traffic") var selectors: SelectorOptions

    @OptionGroup var sshGuard: SSHGuardOptions

    @Option(help: "The data plane that applies the conditions.")
    var backend = Backend.auto

    @Option(
        help: ArgumentHelp(
            "The random seed.", more: "For the scenario's times and the packet engine.",
            valueName: "number"))
    var seed: UInt64?

    @Flag(
        help: ArgumentHelp(
            "Continue despite filters of other programs.", more: "They see packets first."))
    var force = false

    @Option(help: ArgumentHelp("End with this process.", visibility: .private))
    var untilExitOf: Int32?

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console
        let master = try untilExitOf.map { try ProcessDescriptor($0) }
        let entry = try UserCatalog.scenarios.entry(named: scenario)
        if let problem = entry.scenario.problemOnHost { throw UsageError(description: problem) }
        let (scenario, notes) = entry.scenario.forHost
        var hosts = try HostInterfaces(interfaces, of: scenario)
        try target.enter(console)
        let environment = ProcessInfo.processInfo.environment
        let planes = DataPlanes(environment: environment)
        try hosts.resolve(planes)
        for note in notes { console.note(note) }
        var selector = try selectors.selector()
        try sshGuard.apply(to: &selector, console)
        var performance = try HostPerformance(
            scenario, origin: entry.file ?? scenario.name, on: hosts, planes, selector: selector,
            backend: backend, seed: seed, isForced: force, endingWith: master,
            identity: InvokingUser.behindSudo(environment: environment)?.identity
        ) { remark in
            switch remark {
            case .event(let text): console.report(text)
            case .failedExpectation(let text): console.fail(text)
            case .note(let text): console.note(text)
            }
        }
        switch try performance.run() {
        case .over(let isAsExpected): throw ExitCode(isAsExpected ? .done : .failed)
        case .interrupted(let signal): throw ExitCode(128 + signal)
        }
    }
}
