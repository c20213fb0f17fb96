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
        abstract: "Conditions interfaces of this host, until linkcond clear.",
        discussion: """
            Down is what arrives at the interface, up is what leaves it. IPv4 and IPv6 are \
            conditioned; ARP and neighbour discovery are not. The interface's own queue and the \
            filters of other programs stay as they are.

            Several interfaces are conditioned together: all, or none if one of them cannot be.

            Options such as --to choose the traffic; what they leave out is not touched. Values of \
            one option are alternatives, and different options have to fit together. Both ways are \
            meant: --to is the end beyond the interface, the destination of what leaves and the \
            source of what arrives; --from is the near end. --port is a port at either end. ICMP \
            errors go with the packets they are about. Of a fragmented datagram chosen by ports, \
            the first fragment is conditioned, and the rest waits for it.

            With --name several conditions stand on an interface side by side. A packet gets the \
            first that chooses it: those with options such as --to come before those for all \
            traffic, and before others of their kind that were applied later. What the first one \
            excepts, none of the later ones gets.

            The SSH session in which the command is given is excepted, unless --no-ssh-guard.

            The kernel carries out the conditions where it can do all of them; else the packet \
            engine does, a process in the background to which nftables send the packets, or \
            filters of tc where nftables cannot. If it is killed, or stands still, packets flow \
            unconditioned within a second. It takes over from the queue of the sender, and \
            packets lose marks and priorities that the host gave them; it conditions Ethernet \
            interfaces, tunnels and the loopback. --seed and delivery traces need it.

            On the loopback (-i lo) what leaves is what arrives, and each packet is conditioned \
            once: packets to a server go by the profile's up, answers by its down, so that a round \
            trip takes both. Who the server is, linkcond run --help says. It is the packet engine \
            that does this; with --backend kernel each packet goes both up and down. TCP \
            connections that begin meanwhile send segments of Ethernet's size; older ones, and \
            UDP, have packets of up to 64 KiB, each of which counts as one. Multicast and IPv6's \
            link-local addresses are left alone.

            --netns, --pid and --container choose another network than the caller's; everything \
            happens there. A container is found by the files of its engine: no client is needed. \
            --all-interfaces means those that are up, without loopback unless -i lo is there as \
            well; what crosses two of them, such as a bridge and its port, is conditioned twice.

            --for and --until-exit-of leave a process behind that ends the conditions, though the \
            caller be gone or killed. With --replace the new limit holds, or none if none is given.

            Examples:
              sudo linkcond apply LTE
              sudo linkcond apply 3G -i eth0 --set down.loss=2% --direction down
              sudo linkcond apply Edge -i eth0 --replace
              sudo linkcond apply 3G --name api --to 192.0.2.0/24 --port 443
              sudo linkcond apply LTE --except port=22 --except to=192.0.2.9
              sudo linkcond apply LTE -i lo --port 8080
              sudo linkcond apply high-loss --container web --for 10m
              sudo linkcond apply 3G --pid 4711 --until-exit-of 4711
              linkcond apply LTE --dry-run
            """)

    @Argument(
        help: "The name of a profile or the path of its file.",
        completion: .profiles)
    var profile: String

    @Option(
        name: [.short, .customLong("interface")],
        help: ArgumentHelp(
            "The interface; may be given several times. By default the one that carries the "
                + "default route, or all that do.", valueName: "interface"))
    var interfaces: [String] = []

    @Flag(help: "All interfaces that are up; loopback only if it is named.")
    var allInterfaces = false

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    @Option(help: "Tells these conditions from others on the same interface.")
    var name = ApplyRequest.defaultName

    @OptionGroup(title: "Which traffic") var selectors: SelectorOptions

    @OptionGroup var sshGuard: SSHGuardOptions

    @Option(help: "Which way is conditioned.")
    var direction = Directions.both

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
            "Decides the fate of the packets in the packet engine: the same seed loses the same "
                + "ones.", valueName: "number"))
    var seed: UInt64?

    @OptionGroup(title: "How long") var timeLimit: TimeLimitOptions

    @Flag(help: "Change what is conditioned already; packets under way are not lost.")
    var replace = false

    @Flag(help: "Go on where filters of other programs see packets first and may take them.")
    var force = false

    @Flag(help: "Print the equivalent ip, tc and nft commands; change nothing.")
    var dryRun = false

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let console = global.console
        try target.enter(console)
        let request = try request(console)
        let planes = DataPlanes(environment: ProcessInfo.processInfo.environment)
        guard !dryRun else {
            return try console.print(try planes.dryRun(request, backend: backend))
        }
        if request.cutsTheLine {
            console.note(
                "nothing\(request.selector.isSelective ? " of that" : "") passes from now on; "
                    + "this opens the line again: \(wayBack)")
        }
        let outcome = try planes.apply(
            request, backend: backend, for: timeLimit.duration)
        let conditioned = outcome.report.interfaces
        if interfaces.isEmpty, !allInterfaces, conditioned.count > 1 {
            console.note(
                "default routes lead over \(conditioned.joined(separator: " and ")), all of "
                    + "which are conditioned; for one alone name it, as in -i "
                    + conditioned[0])
        }
        for name in conditioned {
            console.report("\(name): \(ConditionText.summary(request))")
            for other in outcome.report.precedents[name] ?? [] {
                console.note(
                    "\(name): the conditions called \(other) come first, and keep what both "
                        + "choose")
            }
        }
        for remark in outcome.remarks { console.note(remark) }
        console.explain(outcome.explanation)
        for detail in outcome.report.details { console.explain(detail) }
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
        if !dryRun { request.limit = timeLimit.limit(now: now) }
        return request
    }
}
