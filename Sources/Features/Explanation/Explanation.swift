import LinkModel
import LinkUnits

/// Where the time of a run went.
public struct Explanation: Sendable {
    /// The name of the capture.
    public let name: String
    /// The profile, the seed and the command, as the capture says.
    public let comment: String
    /// How long the run took: from the start to the end of its command, or from the first packet to
    /// the last if the capture does not say.
    public let duration: Duration
    /// Whether the capture says when the command started and ended.
    public let hasTimesOfCommand: Bool
    /// Whether linkcond and the machine did exactly what the conditions say; nil if the capture does
    /// not tell.
    public let isFaithful: Bool?
    /// The waits of the run one after the other; their lengths add up to its duration, exactly.
    let path: [Stretch]
    let connections: [Connection]
    /// How many further connections there were.
    let omittedConnections: Int
    let requests: [Request]
    let names: [NameQueries.Name]
    /// How long the bottleneck of each direction took for all packets.
    let transmission: [Direction: Duration]
    /// Runs of the same command without a component of the network, if there were any.
    public var counterfactuals: [Counterfactual] = [] {
        didSet {
            guard let noise else { return }
            notes.append(
                "two runs without a change differ by \(noise.readableText); smaller differences "
                    + "between predicted and measured times say nothing")
        }
    }
    /// What the numbers suggest.
    public internal(set) var advice: [Advice] = []
    /// What the capture does not allow to say.
    public internal(set) var notes: [String] = []

    /// A time of the critical path that belongs to one connection, or to the app.
    struct Stretch: Sendable, Hashable {
        /// The number of the connection; nil: the app's.
        var connection: Int?
        /// The number of the request on it; nil: of none.
        var request: Int?
        /// Since the start of the run.
        var start: Duration
        var end: Duration
        var waits: [Wait]
        /// In the old part of a long run: whose waits these are, as far as that was kept.
        var several: [CriticalPath.Part]?

        /// Its waits by their owners.
        var parts: [CriticalPath.Part] {
            several ?? [
                CriticalPath.Part(
                    owner: CriticalPath.Owner(connection: connection, exchange: request),
                    waits: waits)
            ]
        }
    }

    /// A connection.
    struct Connection: Sendable, Hashable {
        var index: Int
        var kind: Conversation.Kind
        var near: SocketName
        var far: SocketName
        var serverName: String?
        /// The first connection of the Multipath TCP connection to which it belongs.
        var group: Int?
        var start: Duration
        var end: Duration
        /// When the handshakes were over.
        var handshakeEnd: Duration?
        /// What was waited for during them.
        var handshake: [Wait]
        var packets: Int
        var firstPacket: Int
        var upBytes: Int
        var downBytes: Int
        var requests: Int
        var isRefused: Bool
        var drops: [String: Int]
        var lostPackets: PacketNumbers
        var fastRetransmissions: PacketNumbers
        var timeoutRetransmissions: PacketNumbers
        var roundTrips: RoundTrips
        /// Its part of the critical path.
        var critical: [Wait]
    }

    /// A request with its response.
    struct Request: Sendable, Hashable {
        var connection: Int
        var index: Int
        var start: Duration
        var firstByte: Duration?
        var end: Duration?
        var method: String?
        var target: String?
        var status: Int?
        var requestBytes: Int
        var responseBytes: Int
        var packets: ClosedRange<Int>
        var idle: Duration
        var mostInFlight: Int
        var requestTransmission: Duration
        var responseTransmission: Duration
        var hasLosses: Bool
        /// Whether all of them were in the queue, which only a limited bandwidth fills.
        var hasOnlyQueueLosses: Bool
        /// How many bytes each end had under way at once before, if it still knows.
        var requestWindow: Int
        var responseWindow: Int
        var waits: [Wait]
        /// Its part of the critical path.
        var critical: Duration
    }

    // MARK: Sums

    /// The waits of the run by both dimensions.
    var total: [WaitKind: Duration] {
        path.lazy.flatMap(\.waits).reduce(into: [:]) { $0[$1.kind, default: .zero] += $1.length }
    }

    /// How long the run waited for each cause; together the duration, exactly.
    public var shares: [Cause: Duration] { Self.shares(total.map { Wait(kind: $0, length: $1) }) }

    static func shares(_ waits: [Wait]) -> [Cause: Duration] {
        waits.reduce(into: [:]) { $0[$1.kind.cause, default: .zero] += $1.length }
    }
}

/// A component of the network that can be taken away.
public enum Removal: String, CaseIterable, Sendable, Codable {
    case loss, bandwidth, delay, nameResolution

    /// Whether a wait ends with it.
    func concerns(_ kind: WaitKind) -> Bool {
        switch self {
        case .loss: [.fastRecovery, .timeoutRecovery].contains(kind.component)
        case .bandwidth: [.serialization, .queueing].contains(kind.component)
        case .delay: kind.component == .propagation
        case .nameResolution: kind.phase == .nameResolution
        }
    }

    /// Its name for people.
    package var text: String {
        switch self {
        case .loss: "loss"
        case .bandwidth: "bandwidth limit"
        case .delay: "delay"
        case .nameResolution: "name resolution"
        }
    }
}
