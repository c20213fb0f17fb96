public import Evidence
public import LinkModel
public import LinuxKernel
public import NetworkPath
import PacketLoop

/// What `run` is asked for.
public struct SandboxRequest: Sendable {
    /// What carries out the conditions.
    public enum Backend: String, Sendable, CaseIterable {
        /// The kernel where it can do all that is asked, else the packet engine.
        case auto
        /// Qdiscs.
        case kernel
        /// The packet engine.
        case engine
    }

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
        /// A wire to the host, which routes and masquerades IPv4 of any protocol; the relay for
        /// IPv6 and for the host's loopback. For root.
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

    /// The conditions of the link.
    public var conditions: LinkConditions
    /// The name under which the command sees them.
    public var profile: String
    /// The command: a program and its arguments.
    public var command: [RawText]
    /// What runs on the far side until the command ends.
    public var servers: [Server] = []
    /// TCP ports on which the servers have to listen before the command starts.
    public var serverPorts: [UInt16] = []
    /// What carries out the conditions.
    public var backend = Backend.auto
    /// How the far side reaches the host's network.
    public var uplink = Uplink.auto
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
    public var evidence = EvidenceRequest()
    /// How long the command may run; nil: as long as it likes.
    public var timeout: Duration?
    /// What the command sees of its interface, beside its conditions.
    public var mark = NetworkMark()
    /// Whom the command runs as; nil: the caller.
    public var identity: Program.Identity?
    /// Variables of the command's environment, beside the caller's.
    public var variables: [String: String] = [:]

    /// What the packet engine draws by; short enough to be typed, and for every reader of JSON.
    var chance: UInt64 { seed ?? drawn }
    private let drawn = UInt64(UInt32.random(in: .min ... .max))

    /// The delivery traces of the conditions, once `Sandbox.run` has read them.
    var traces = LinkTraces()

    /// Asks for a command under conditions.
    public init(conditions: LinkConditions, profile: String, command: [RawText]) {
        self.conditions = conditions
        self.profile = profile
        self.command = command
    }

    /// How long a server may take to listen.
    static let serverPatience = Duration.seconds(30)
    /// How long the command may take to end itself after it has run too long.
    static let terminationPatience = Duration.seconds(5)
}
