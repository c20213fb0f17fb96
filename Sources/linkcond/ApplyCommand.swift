import ArgumentParser
import Catalog
import DataPlane
import DataPlanes
import FoundationEssentials
import HostConditioning
import LinkModel
import LinuxKernel
import ProfileFormat
import TrafficControl
import UserCatalog

/// `linkcond apply PROFILE`
struct ApplyCommand: ParsableCommand {
    /// Which directions are conditioned.
    enum Directions: String, CaseIterable, ExpressibleByArgument {
        case both, down, up

        var list: [Direction] {
            switch self {
            case .both: [.up, .down]
            case .down: [.down]
            case .up: [.up]
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Conditions interfaces of this host until linkcond clear.",
        usage: "linkcond apply [<options>] <profile>",
        discussion: HelpScreen.discussion(
            """
            Down is traffic that arrives at the interface, up is traffic that leaves it. IPv4 and \
            IPv6 are conditioned; ARP and neighbour discovery are not. The interface's own qdisc \
            and the filters of other programs stay unchanged.
            """, reference: reference, examples: examples, moreExamples: moreExamples))

    @Argument(
        help: "The name of a profile or the path of its file.",
        completion: .profiles)
    var profile: String

    @Option(
        name: [.short, .customLong("interface")],
        help: ArgumentHelp(
            "The interface; may be given several times.",
            more: "Default: all interfaces with a default route.", valueName: "interface"),
        completion: .interfaces)
    var interfaces: [String] = []

    @Flag(help: "All interfaces that are up; loopback only if it is named.")
    var allInterfaces = false

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    @OptionGroup(title: "Whose interfaces") var labels: LabelOptions

    @Option(help: "Their name among others on the same interface.")
    var name = ApplyRequest.defaultName

    @OptionGroup(title: "Which traffic") var selectors: SelectorOptions

    @OptionGroup var sshGuard: SSHGuardOptions

    @Option(help: "The direction to condition.")
    var direction = Directions.both

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
            "The same seed loses the same packets.",
            more: "It is the random seed of the packet engine.", valueName: "number"))
    var seed: UInt64?

    @OptionGroup(title: "How long") var timeLimit: TimeLimitOptions

    @Flag(
        help: ArgumentHelp(
            "Change existing conditions.",
            more: "No packets in flight are lost, except those in a queue of the kernel whose AQM "
                + "changes, or that gets duplicates."))
    var replace = false

    @Flag(
        help: ArgumentHelp(
            "Continue despite filters of other programs.", more: "They see packets first."))
    var force = false

    @Flag(
        help: ArgumentHelp(
            "Print ip, tc and nft commands; change nothing.",
            more: "They are equivalent to what linkcond does."))
    var dryRun = false

    /// For `--label`, which undoes no more than was done.
    @Flag(help: .private)
    var reportInterfaces = false

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try labels.validate(target)
        for other in Direction.allCases where !direction.list.contains(other) {
            if let setting = settings.first(where: { $0.hasPrefix("\(other.rawValue).") }) {
                throw ValidationError(
                    "--set \(setting) changes nothing with --direction \(direction.rawValue); leave "
                        + "one of them out")
            }
        }
    }

    func run() throws {
        let console = global.console
        if try labels.run(console, remedy) { return }
        try target.enter(console)
        let request = try request(console)
        let planes = DataPlanes(environment: ProcessInfo.processInfo.environment)
        guard !dryRun else {
            let (script, remark) = try planes.dryRun(request, backend: backend)
            if let remark { console.note(remark) }
            return try console.print(script)
        }
        if request.cutsTheLine {
            console.note(
                "nothing\(request.selector.isSelective ? " of that" : "") passes from now on; "
                    + "this opens the line again: \(wayBack)")
        }
        let outcome = try planes.apply(
            request, backend: backend, for: timeLimit.duration)
        let conditioned = outcome.report.interfaces
        if reportInterfaces { DetachedProgram.report(conditioned.joined(separator: "\n")) }
        if interfaces.isEmpty, !allInterfaces, conditioned.count > 1 {
            console.note(
                "default routes lead over \(conditioned.joined(separator: " and ")), all of "
                    + "which are conditioned; for one alone name it, as in -i "
                    + conditioned[0])
        }
        for name in conditioned {
            console.report("\(name): \(ConditionText.summary(request))")
            let precedents = outcome.report.precedents[name] ?? []
            if !precedents.isEmpty {
                console.note(
                    "\(name): the conditions called \(Self.fewOf(precedents)) come first, and keep "
                        + "what both choose")
            }
        }
        for name in request.selector.included.toNames {
            let found = request.selector.addresses[name] ?? []
            console.note(
                "\(name) is \(found.map(\.description).joined(separator: ", ")) now; addresses that "
                    + "it gets later are conditioned as well")
        }
        for name in request.selector.included.processes where !name.isRunning {
            console.note(
                "no program called \(name) runs now; when one starts, it is conditioned")
        }
        for remark in outcome.remarks { console.note(remark) }
        console.explain(outcome.explanation)
        for detail in outcome.report.details { console.explain(detail) }
    }

    /// What takes the conditions away again from one of several containers.
    private var remedy: LabelOptions.Remedy {
        guard !replace, !dryRun else { return .tell }
        return .undo(["clear", "--name", name])
    }

    private static func fewOf(_ names: [String]) -> String {
        guard names.count > 4 else { return names.joined(separator: ", ") }
        return "\(names.prefix(3).joined(separator: ", ")) and \(names.count - 3) others"
    }

    /// The command that removes the conditions.
    private var wayBack: String {
        ShellWord.line(
            ["sudo", "linkcond", "clear"] + target.words + interfaces.flatMap { ["-i", $0] }
                + (name == ApplyRequest.defaultName ? [] : ["--name", name]))
    }

    /// The request from the arguments.
    private func request(_ console: Console) throws -> ApplyRequest {
        let entry = try UserCatalog.profiles.entry(named: profile)
        let conditions = try entry.profile.conditions(changedBy: settings)
        var selector = try selectors.selector()
        try sshGuard.apply(to: &selector, console)
        let now = Int64(Date().timeIntervalSince1970)
        var request = ApplyRequest(
            conditions: conditions,
            profile: ([entry.profile.id] + settings).joined(separator: ", "),
            name: try ConditionsName(name).text, selector: selector, interfaces: interfaces,
            directions: direction.list, replaces: replace,
            isForced: force, seed: seed, now: now)
        request.isForAllInterfaces = allInterfaces
        if !dryRun { request.limit = timeLimit.limit }
        return request
    }
}
