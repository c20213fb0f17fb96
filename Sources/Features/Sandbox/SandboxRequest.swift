public import LinkModel
public import LinuxKernel
public import NetworkPath
public import Recording
public import Scenarios
public import Uplink

/// A request for `run`.
public struct SandboxRequest: Sendable {
    /// How the far side reaches the host's network.
    public enum Uplink: String, Sendable, CaseIterable {
        /// The default: the relay.
        case auto
        /// Not at all.
        case none
        /// linkcond itself, using host sockets: TCP, UDP and echo requests; nothing on the host
        /// changes.
        case relay
        /// The relay, and pasta for other ICMP; not for root.
        case pasta
        /// The relay, and slirp4netns for other ICMP.
        case slirp
        /// A veth pair to the host, which routes and masquerades IPv4 except UDP; the relay carries
        /// IPv4 UDP, IPv6 and traffic to the host's loopback. For root.
        case veth
    }

    /// A server for the command on the far side.
    public enum Server: Sendable, Hashable {
        /// A command for the shell.
        case shell(String)
        /// A program and its arguments.
        case program([RawText])

        /// The program to start and its arguments.
        var words: [RawText] {
            switch self {
            case .shell(let command): ["/bin/sh", "-c", command].map { RawText($0) }
            case .program(let words): words
            }
        }

        /// Its name for people.
        var name: String {
            switch self {
            case .shell(let command): command
            case .program(let words): words.map(\.description).joined(separator: " ")
            }
        }
    }

    /// The interfaces of the command, most preferred first; at least one.
    public var interfaces: [SandboxInterface]
    /// Conditions that interfaces may get while the command runs. They influence the choice of data
    /// plane, and the files that they name are read in advance.
    public var laterConditions: [LinkConditions] = []
    /// The command: a program and its arguments.
    public var command: [RawText]
    /// Several apps, each on its own device with some of the interfaces; empty: one, with `command`
    /// and all of them.
    public var devices: [SandboxDevice] = []
    /// The servers, which run on the far side until the command has ended and its data has arrived.
    public var servers: [Server] = []
    /// Ports on which the servers must listen before the command starts.
    public var serverPorts: [ServerPort] = []
    /// How long servers, and processes that the command leaves running, may take to end after
    /// `SIGTERM`.
    public var serverStop = Duration.seconds(5)
    /// How long the command's data may take to arrive after its end; nil: a minute, or five seconds
    /// if a signal asked the command to end.
    public var drain: Duration?
    /// The requested data plane.
    public var backend = Backend.auto
    /// How the far side reaches the host's network.
    public var uplink = Uplink.auto
    /// Ports of the host that lead to servers of the command.
    public var publishedPorts: [PublishedPort] = []
    /// The congestion control of the run's TCP, on both sides of the link; nil: the host's.
    public var congestionControl: CongestionControl?
    /// How the command's TCP connections use its interfaces.
    public var multipath = MultipathMode.off
    /// Whether the conditions also apply between the command's own processes, on the loopback.
    public var conditionsLoopback = false
    /// The addresses inside; nil: a network that the caller's host does not use.
    public var network: SandboxNetwork?
    /// Names that the command's programs know without asking a name server.
    public var knownNames: [KnownName] = []
    /// The message bus on which programs ask for the network state; nil: the host's.
    public var bus: SandboxBus?
    /// How late packets may be before the run is not faithful.
    public var tolerance = LatenessTolerance.standard
    /// The seed for packets; nil: a random one for each run.
    public var seed: UInt64?
    /// Where a process of the host gives orders to the only link while the command runs; nil: nobody
    /// does.
    public var orders: MessageChannel?
    /// Whether orders may change the conditions.
    public var mayChange = false
    /// Whether the command opens so many connections that it needs all ports, and again at once.
    public var opensManyConnections = false
    /// The scenario played while it runs; nil: none.
    public var scenario: ScenarioRequest?
    /// What to record.
    public var recording = RecordingRequest()
    /// How long the command may run; nil: without limit.
    public var timeout: Duration?
    /// Whether the caller is a job of a shell: it stops when the command stops, so that the shell
    /// takes the terminal back.
    public var isJob = false
    /// Whether a caller without root is root in the sandbox, with all privileges over its networks
    /// and no more than before over the host.
    public var mapsRoot = false
    /// The user that runs the command; nil: the caller.
    public var identity: Program.Identity?
    /// Environment variables of the command, in addition to the caller's.
    public var variables: [String: String] = [:]

    /// The seed of this run; a random one is short enough to type and fits every JSON reader.
    var usedSeed: UInt64 { seed ?? drawn }
    private let drawn = UInt64(UInt32.random(in: .min ... .max))

    /// The users that apps run as, after `Sandbox.run` has found them.
    var users = AppUsers()

    /// The delivery traces of all conditions, after `Sandbox.run` has read them.
    var traces = LoadedTraces()

    /// Requests a command with these interfaces, most preferred first.
    public init(interfaces: [SandboxInterface], command: [RawText]) {
        self.interfaces = interfaces
        self.command = command
    }

    /// Requests a command with one interface under conditions.
    public init(
        conditions: LinkConditions, profile: String, mark: NetworkMark = NetworkMark(),
        command: [RawText]
    ) {
        self.init(
            interfaces: [SandboxInterface(conditions: conditions, profile: profile, mark: mark)],
            command: command)
    }

    /// The interface that the command uses by default: the first that exists at the start, or
    /// otherwise the first of all.
    public var preferred: SandboxInterface {
        interfaces.first(where: \.isPresent) ?? interfaces[0]
    }

    /// How long data in flight may take to arrive after the command's end.
    func drainLimit(isInterrupted: Bool) -> Duration {
        drain ?? .seconds(isInterrupted ? 5 : 60)
    }

    /// How long a server may take to start listening.
    static let serverPatience = Duration.seconds(30)
    /// The delay before the user is told what the run waits for.
    static let silence = Duration.seconds(2)
    /// How long the command may take to end after its time limit.
    static let terminationPatience = Duration.seconds(5)
}
