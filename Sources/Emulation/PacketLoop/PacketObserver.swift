public import LinkModel
public import LinkUnits
public import PacketEngine

/// Is told what happened to each packet, for example to record it.
///
/// It is called on the threads of the loop, which wait for it: it must not block, and must not call
/// the loop.
public protocol PacketObserver: Sendable {
    /// Called when a packet, or a copy of one, has left the link or was dropped.
    ///
    /// - Parameter frame: its Ethernet frame, valid during the call; empty if there is no memory to
    ///   extract it from a super-packet.
    func observed(_ record: PacketRecord, frame: Span<UInt8>)
}

/// The direction of packets in packet records.
public typealias LinkDirection = Direction

/// What happened to a packet.
public struct PacketRecord: Sendable, Hashable {
    /// The outcome, and who decided it.
    public enum Fate: Sendable, Hashable {
        /// Decided by the emulated link.
        case judged(Verdict)
        /// It passed at once: it is not IP, or is neighbour discovery.
        case exempt
        /// Dropped because it exceeded the MTU of the link.
        case oversized
        /// Made by the link: it tells the sender of an oversized packet the MTU.
        case answer
        /// Dropped by what stands in the middle.
        case stopped(MiddleboxDrop)
        /// It crossed the link to an interface that was down.
        case disconnected

        /// Whether the emulated link decided it, at a time of its schedule.
        public var isJudged: Bool { if case .judged = self { true } else { false } }

        /// A stable keyword for programs.
        public var key: String {
            switch self {
            case .exempt: "exempt"
            case .oversized: "oversized"
            case .answer: "answer"
            case .disconnected: "disconnected"
            case .stopped(let drop): drop.key
            case .judged(.delivered): "delivered"
            case .judged(.corrupted): "corrupted"
            case .judged(.queueFull): "queueFull"
            case .judged(.managed): "managed"
            case .judged(.lost): "lost"
            }
        }

        /// Why it was not delivered, for people; nil if it was.
        public var dropReason: String? {
            switch self {
            case .exempt, .answer, .judged(.delivered), .judged(.corrupted): nil
            case .oversized: "larger than the MTU"
            case .disconnected: "interface down"
            case .stopped(let drop): drop.reason
            case .judged(.queueFull): "queue full"
            case .judged(.managed): "dropped by the queue management"
            case .judged(.lost): "lost"
            }
        }
    }

    /// Which of several links it was on, from 0.
    public var link = 0
    /// Its direction.
    public var direction: LinkDirection
    /// Its number on the link in its direction, from 1; nil if it passed at once. The same seed
    /// loses the same numbers.
    public var number: UInt64?
    /// Whether it is a duplicate made by the link; the packet itself follows.
    public var isCopy: Bool
    /// When it arrived at the interface, by the loop's `LoopClock`.
    public var arrival: Duration
    /// When it left the link or was dropped, by the schedule of the link.
    public var departure: Duration
    /// How much later than that the loop handled it; zero if it passed at once.
    public var lateness: Duration
    /// The length of the IP packet with its headers; if it is not IP, that of the frame without its
    /// header.
    public var length: ByteCount
    /// What happened to it.
    public var fate: Fate
    /// How long it waited for the bottleneck; zero if that did not transmit it.
    public var queueing = Duration.zero
    /// How long the bottleneck transmitted it.
    public var transmission = Duration.zero

    /// Makes a record.
    public init(
        direction: LinkDirection, number: UInt64?, isCopy: Bool = false, arrival: Duration,
        departure: Duration, lateness: Duration = .zero, length: ByteCount, fate: Fate
    ) {
        self.direction = direction
        self.number = number
        self.isCopy = isCopy
        self.arrival = arrival
        self.departure = departure
        self.lateness = lateness
        self.length = length
        self.fate = fate
    }

    /// Sets how long it was at the bottleneck.
    mutating func setTransmission(from start: Duration, until end: Duration) {
        queueing = max(.zero, start - arrival)
        transmission = max(.zero, end - start)
    }
}
