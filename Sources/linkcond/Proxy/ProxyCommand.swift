public import ArgumentParser
import Catalog
import LinkModel
import LinuxKernel
import Proxy
public import ProxyControl
import ProxyProtocols
import Recording
import SandboxRuns
import SystemPackage
import UserCatalog

extension ProxyHeaderVersion: ExpressibleByArgument {}

/// `linkcond proxy PROFILE --listen A=B`
struct ProxyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Puts a conditioned link between programs that cannot be wrapped.",
        usage: "linkcond proxy [<options>] <profile> [-- <command> ...]",
        discussion: HelpScreen.discussion(
            """
            Each listener's connections cross the link of a sandbox packet by packet, and leave by \
            sockets of this host: handshakes, loss, queues and resets are those of real TCP over \
            that link. Needs no root; everything ends with the proxy.

            Targets are named as on this host. Listeners at addresses that are no loopback serve \
            whoever can reach them.
            """, reference: reference, examples: examples))

    @Argument(
        help: "The name of a profile or the path of its file.", completion: .profiles)
    var profile: String

    @Option(
        name: .customLong("listen"),
        help: ArgumentHelp(
            "Forward connections: 127.0.0.1:5433=db.example:5432.",
            more: "Also [::1]:80=..., udp:127.0.0.1:53=..., unix:/PATH=..., ...=unix:/PATH; may be "
                + "given several times.", valueName: "address=target"),
        transform: Self.forward)
    var forwards: [ForwardArgument] = []

    @Option(
        help: ArgumentHelp(
            "Serve SOCKS5 at this address.",
            more: "Also its datagrams, and names; may be given several times.",
            valueName: "address"),
        transform: Self.address)
    var socks: [ListenAddress] = []

    @Option(
        help: ArgumentHelp(
            "Be an HTTP proxy at this address.",
            more: "For CONNECT and for whole URLs; may be given several times.",
            valueName: "address"),
        transform: Self.address)
    var http: [ListenAddress] = []

    @Flag(
        help: ArgumentHelp(
            "Put all listeners on one link.", more: "Otherwise each has its own."))
    var shared = false

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Change a field of the profile, such as down.loss=2%.",
            more: "May be given several times.", valueName: "field=value"),
        completion: .settings)
    var settings: [String] = []

    @Option(
        help: ArgumentHelp(
            "Tell targets of --listen who the client is, in HAProxy's PROXY protocol.",
            valueName: "version"))
    var proxyProtocol: ProxyHeaderVersion?

    @Option(
        help: ArgumentHelp(
            "The random seed: the same seed loses the same packets.",
            more: "Of the first link; those of others follow it.", valueName: "number"))
    var seed: UInt64?

    @Option(help: "The data plane that applies the conditions.")
    var backend = Backend.auto

    @OptionGroup var control: ProxyControlOptions

    @Option(
        help: ArgumentHelp(
            "Write listeners, links and counters to a file at the end, as JSON.",
            valueName: "file"), completion: .file())
    var stats: String?

    @Flag(help: "Print the listeners and links as one line of JSON once they are ready.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write that line to a file descriptor, and close it.", valueName: "number"))
    var readyFd: Int32?

    @OptionGroup var global: GlobalOptions

    @Argument(
        parsing: .postTerminator,
        help: "A command that runs beside the proxy, which ends with it; after --.")
    var command: [String] = []

    private static func forward(_ text: String) throws -> ForwardArgument {
        do {
            return try ForwardArgument(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    private static func address(_ text: String) throws -> ListenAddress {
        do {
            let address = try ListenAddress(text)
            guard case .datagram = address else { return address }
            throw ValidationError("\(text): clients connect by TCP; leave udp: out")
        } catch let error as AddressProblem {
            throw ValidationError("\(error)")
        }
    }

    func validate() throws {
        guard !forwards.isEmpty || !socks.isEmpty || !http.isEmpty || control.isWanted else {
            throw ValidationError(
                "nothing would listen; name a listener, as in: --listen "
                    + "127.0.0.1:5433=db.example:5432, --socks 127.0.0.1:1080, or --http "
                    + "127.0.0.1:8080")
        }
    }

    func run() throws {
        let console = global.console
        // Checked here, where a bad one is a usage error of this program's.
        let found = try UserCatalog.profiles.entry(named: profile).profile
        _ = try found.conditions(changedBy: settings)
        var plan = ProxyPlan(profile: profile)
        plan.settings = settings
        (plan.forwards, plan.socks, plan.http) = (forwards, socks, http)
        plan.isShared = shared
        plan.proxyHeader = proxyProtocol
        plan.seed = seed
        plan.backend = backend
        plan.api = control.api
        plan.apiArguments = control.apiArguments
        plan.controllers = control.controlFd.map { FileDescriptor(rawValue: $0) }
        plan.command = LinuxKernel.Process.argumentsBehindHyphens
        let file = try stats.map { path throws(RecordingFileError) in
            try ResultFile(creating: path)
        }
        if let readyFd {
            do {
                // The end of it means something to its reader.
                try FileDescriptor(rawValue: readyFd).setCloseOnExec()
            } catch {
                throw ValidationError("--ready-fd \(readyFd): \(error)")
            }
        }
        let server = try ProxyServer(
            plan, ProxyNarrator(console: console, printsJSON: json, readyNumber: readyFd))
        let code = try server.run()
        try file?.write(try JSONText.text(of: ProxyJSON(server.state)) + "\n")
        throw ExitCode(code)
    }
}

/// Options by which other programs change a proxy while it runs.
struct ProxyControlOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Serve the HTTP API at this address, such as 127.0.0.1:8474.",
            more: "linkcond's own and Toxiproxy's.", valueName: "address"))
    var api: String?

    @Option(
        help: ArgumentHelp(
            "The secret that the API asks for; needed unless its address is a loopback.",
            valueName: "text"))
    var apiToken: String?

    @Option(
        help: ArgumentHelp(
            "A connected Unix stream socket by which another program controls the proxy.",
            valueName: "number", visibility: .private))
    var controlFd: [Int32] = []

    /// Whether anyone may control the proxy.
    var isWanted: Bool { api != nil || !controlFd.isEmpty }

    /// What the API's program gets in addition.
    var apiArguments: [String] { apiToken.map { ["--token", $0] } ?? [] }

    func validate() throws {
        guard api != nil || apiToken == nil else {
            throw ValidationError("--api-token is of the API; add --api 127.0.0.1:8474")
        }
    }
}
