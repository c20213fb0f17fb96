import ArgumentParser
import Conditioner
import FoundationEssentials
import LinkModel
import ProfileCatalog
import ProfileFormat
import TrafficControl

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
        abstract: "Conditions interfaces of this host, until linkcond clear.",
        discussion: """
            Down is what arrives at the interface, up is what leaves it. IPv4 and IPv6 are \
            conditioned; ARP and neighbour discovery are not. The interface's own queue and the \
            filters of other programs stay as they are.

            Several interfaces are conditioned together: all, or none if one of them cannot be.

            Examples:
              sudo linkcond apply LTE
              sudo linkcond apply 3G -i eth0 --set down.loss=2% --direction down
              sudo linkcond apply Edge -i eth0 --replace
              linkcond apply LTE --dry-run
            """)

    @Argument(
        help: "The name of a profile or the path of its file.",
        completion: ProfileArgument.completion)
    var profile: String

    @Option(
        name: [.short, .customLong("interface")],
        help: ArgumentHelp(
            "The interface; may be given several times. By default the one that carries the "
                + "default route.", valueName: "interface"))
    var interfaces: [String] = []

    @Option(help: "Which way is conditioned.")
    var direction = Directions.both

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Changes a field of the profile, such as down.loss=2% or dns.delay='3 s'; may be "
                + "given several times.", valueName: "field=value"))
    var settings: [String] = []

    @Flag(help: "Change what is conditioned already; packets under way are not lost.")
    var replace = false

    @Flag(help: "Go on where filters of other programs see packets first and may take them.")
    var force = false

    @Flag(help: "Print the equivalent ip and tc commands; change nothing.")
    var dryRun = false

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console
        let request = try request()
        let conditioner = try Conditioner(environment: ProcessInfo.processInfo.environment)
        if dryRun {
            let plans = try conditioner.plan(request)
            try console.print(plans.map(ConditionText.script).joined(separator: "\n"))
            return
        }
        let report = try conditioner.apply(request)
        for plan in report.plans {
            console.report("\(plan.interface.name): \(ConditionText.summary(request))")
        }
        console.explain(
            "\(report.messageCount) netlink messages in \(report.sentDatagrams) system call"
                + (report.sentDatagrams == 1 ? "" : "s"))
        if request.conditions.isBlackhole {
            console.note("nothing passes any more; linkcond clear opens the line again")
        }
    }

    /// What the arguments ask for.
    private func request() throws -> ApplyRequest {
        let entry = try ProfileArgument.catalog.entry(named: profile)
        let conditions = try ProfileArgument.conditions(of: entry.profile, changedBy: settings)
        return ApplyRequest(
            conditions: conditions,
            profile: ([entry.profile.id] + settings).joined(separator: ", "),
            interfaces: interfaces, directions: direction.list, replaces: replace,
            isForced: force, now: Int64(Date().timeIntervalSince1970))
    }
}
