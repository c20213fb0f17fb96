public import LinkModel
public import LinuxKernel
public import NetworkPath
public import Recording
public import Scenarios

/// What `run` is asked for.
public struct SandboxRequest: Sendable {
    /// How the far side reaches the host's network.
    public enum Uplink: String, Sendable, CaseIterable {
        /// The relay.
        case auto
        /// Not at all.
        case none
        /// linkcond itself, by sockets of the host: TCP, UDP and echo requests; nothing on the
        /// host changes.
        case relay
        /// The relay, and pasta for other ICMP; not for root.
        case pasta
        /// The relay, and slirp4netns for other ICMP.
        case slirp
        /// A wire to the host, which routes and masquerades IPv4 of any protocol but UDP; the relay
        /// for that, for IPv6 and for the host's loopback. For root.
        case veth
    }

    /// What serves the command from the far side.
    public enum Server: Sendable, Hashable {
        /// A command for the shell.
        case shell(String)
        /// A program and its arguments.
        case program([RawText])

        /// The program that is started, and its arguments.
        var words: [RawText] {
            switch self {
            case .shell(let command): ["/bin/sh", "-c", command].map { RawText($0) }
            case .program(let words): words
            }
        }

        /// How people know it.
        var name: String {
            switch self {
            case .shell(let command): command
            case .program(let words): words.map(\.description).joined(separator: " ")
            }
        }
    }

    /// The interfaces of the command, the most preferred first; at least one.
    public var interfaces: [SandboxInterface]
    /// Conditions that interfaces may get while the command runs, so that the data plane is one
    /// that can do them, and the files that they name are read before.
    public var laterConditions: [LinkConditions] = []
    /// The command: a program and its arguments.
    public var command: [RawText]
    /// What runs on the far side until the command has ended and what it sent has arrived.
    public var servers: [Server] = []
    /// Ports at which the servers have to wait for clients before the command starts.
    public var serverPorts: [ServerPort] = []
    /// How long servers, and what the command leaves running, have to end by themselves once they
    /// are asked to (`SIGTERM`).
    public var serverStop = Duration.seconds(5)
    /// How long what the command has sent may take to arrive after its end; nil: a minute, or five
    /// seconds if somebody wants the command to end.
    public var drain: Duration?
    /// What carries out the conditions.
    public var backend = Backend.auto
    /// How the far side reaches the host's network.
    public var uplink = Uplink.auto
    /// How the command's TCP connections use its interfaces.
    public var multipath = MultipathMode.off
    /// Whether the conditions also hold between the command's own processes, over the loopback.
    public var conditionsLoopback = false
    /// The addresses inside; nil: some that the caller's host does not have.
    public var network: SandboxNetwork?
    /// The message bus by which programs ask for the state of the network; nil: the host's.
    public var bus: SandboxBus?
    /// What decides the packets' fate; nil: every run another.
    public var seed: UInt64?
    /// What happens to the network and to the app while it runs; nil: nothing.
    public var scenario: ScenarioRequest?
    /// What is to be written down.
    public var recording = RecordingRequest()
    /// How long the command may run; nil: as long as it likes.
    public var timeout: Duration?
    /// Whom the command runs as; nil: the caller.
    public var identity: Program.Identity?
    /// Variables of the command's environment, beside the caller's.
    public var variables: [String: String] = [:]

    /// The seed of this run; a drawn one is short enough to be typed, and for every reader of JSON.
    var usedSeed: UInt64 { seed ?? drawn }
    private let drawn = UInt64(UInt32.random(in: .min ... .max))

    /// The delivery traces of all conditions, once `Sandbox.run` has read them.
    var traces = LoadedTraces()

    /// Asks for a command whose interfaces are these, the most preferred first.
    public init(interfaces: [SandboxInterface], command: [RawText]) {
        self.interfaces = interfaces
        self.command = command
    }

    /// Asks for a command with one interface under conditions.
    public init(
        conditions: LinkConditions, profile: String, mark: NetworkMark = NetworkMark(),
        command: [RawText]
    ) {
        self.init(
            interfaces: [SandboxInterface(conditions: conditions, profile: profile, mark: mark)],
            command: command)
    }

    /// The interface that the command uses unless it chooses another: the first that is there at
    /// the start, or if none is the first of all.
    public var preferred: SandboxInterface {
        interfaces.first(where: \.isPresent) ?? interfaces[0]
    }

    /// The wires behind the interfaces, in their order.
    func wires(of network: SandboxNetwork) -> [Wire] {
        network.wires(behind: interfaces.map(\.name))
    }

    /// How long what is under way may take to arrive after the command's end.
    func drainLimit(isInterrupted: Bool) -> Duration {
        drain ?? .seconds(isInterrupted ? 5 : 60)
    }

    /// How long a server may take to listen.
    static let serverPatience = Duration.seconds(30)
    /// After how long the user is told what is waited for.
    static let silence = Duration.seconds(2)
    /// How long the command may take to end itself after it has run too long.
    static let terminationPatience = Duration.seconds(5)
}
