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
        discussion: """
            Down is traffic that arrives at the interface, up is traffic that leaves it. IPv4 and \
            IPv6 are conditioned; ARP and neighbour discovery are not. The interface's own qdisc \
            and the filters of other programs stay unchanged.

            Several interfaces are conditioned together: if one of them fails, none is changed.

            Options such as --to select traffic; other traffic is not touched. Values of one \
            option are alternatives; a packet must match all options. Selectors apply in both \
            directions: --to is the far end, the destination of outgoing and the source of \
            incoming packets; --from is the near end; --port is a port at either end. ICMP errors \
            are treated like the packets that they quote. If ports select a fragmented datagram, \
            only its first fragment is conditioned, and the receiver waits for it.

            With --name an interface can have several conditions. A packet gets the first that \
            match it: conditions with options such as --to come before those for all traffic, and \
            before similar ones that were applied later. Packets that the first match excepts get \
            no other conditions.

            The SSH session that runs the command is excepted, unless --no-ssh-guard is given.

            The kernel's qdiscs are used if they support all of the conditions. Otherwise the \
            packet engine is used, a background process that receives the packets through \
            nftables or, if that is not possible, tc filters. If it is killed or hangs, packets \
            flow unconditioned within a second. It replaces the sender's queue, and packets lose \
            the marks and priorities that the host set. It conditions Ethernet interfaces, \
            tunnels and the loopback. --seed and delivery traces need it.

            On the loopback (-i lo) each packet is conditioned once: packets to a server get the \
            profile's up, replies its down, so the RTT includes both. linkcond run --help says \
            which end is the server. This needs the packet engine; with --backend kernel each \
            packet gets both up and down. TCP connections opened afterwards send segments of \
            Ethernet size; older ones, and UDP, have packets of up to 64 KiB, each of which counts \
            as one. Multicast and IPv6 link-local addresses are left alone.

            --netns, --pid and --container select another network namespace. Containers are found \
            through the files of their engine; no client is needed. --all-interfaces selects all \
            interfaces that are up, without loopback unless -i lo is given. Packets that cross two \
            of them, such as a bridge and its port, are conditioned twice.

            --for and --until-exit-of start a background process that ends the conditions, even \
            if the caller is gone or killed. --replace also replaces or removes the time limit.

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
            "The interface; may be given several times. Default: all interfaces with a default "
                + "route.", valueName: "interface"))
    var interfaces: [String] = []

    @Flag(help: "All interfaces that are up; loopback only if it is named.")
    var allInterfaces = false

    @OptionGroup(title: "Whose interfaces") var target: TargetOptions

    @Option(help: "The name of these conditions among others on the same interface.")
    var name = ApplyRequest.defaultName

    @OptionGroup(title: "Which traffic") var selectors: SelectorOptions

    @OptionGroup var sshGuard: SSHGuardOptions

    @Option(help: "The direction to condition.")
    var direction = Directions.both

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
            "The random seed of the packet engine: the same seed loses the same packets.",
            valueName: "number"))
    var seed: UInt64?

    @OptionGroup(title: "How long") var timeLimit: TimeLimitOptions

    @Flag(help: "Change existing conditions without losing packets in flight.")
    var replace = false

    @Flag(help: "Continue even if filters of other programs see packets first.")
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
