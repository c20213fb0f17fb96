public import LinkModel
public import LinkUnits
public import PacketEngine

/// Gets to know what became of each packet, such as to write it down.
///
/// It is called on the threads of the loop, which wait for it: it must not block, and must not
/// call the loop.
public protocol PacketObserver: Sendable {
    /// A packet, or a copy of one, has left the link or was dropped.
    ///
    /// - Parameter frame: its Ethernet frame, valid during the call; empty if there is no memory left
    ///   to take it out of a super-packet.
    func observed(_ record: PacketRecord, frame: Span<UInt8>)
}

/// Which way packets go, as records of packets call it.
public typealias LinkDirection = Direction

/// What became of a packet.
public struct PacketRecord: Sendable, Hashable {
    /// Who decided it.
    public enum Fate: Sendable, Hashable {
        /// The emulated link.
        case judged(Verdict)
        /// Nobody: it is no IP packet, or one by which neighbours find each other.
        case exempt
        /// Nobody: it was larger than the MTU of the link.
        case oversized

        /// In a word, for programs; the words are a promise.
        public var key: String {
            switch self {
            case .exempt: "exempt"
            case .oversized: "oversized"
            case .judged(.delivered): "delivered"
            case .judged(.corrupted): "corrupted"
            case .judged(.queueFull): "queueFull"
            case .judged(.managed): "managed"
            case .judged(.lost): "lost"
            }
        }

        /// Why it did not come out at the other end, for people; nil if it did.
        public var dropReason: String? {
            switch self {
            case .exempt, .judged(.delivered), .judged(.corrupted): nil
            case .oversized: "larger than the MTU"
            case .judged(.queueFull): "queue full"
            case .judged(.managed): "dropped by the queue management"
            case .judged(.lost): "lost"
            }
        }
    }

    /// Which of several links it was on, from 0.
    public var link = 0
    /// Which way it went.
    public var direction: LinkDirection
    /// The how-manieth packet on the link in its direction it was, from 1; nil if it passed at
    /// once. The same seed loses the same numbers.
    public var number: UInt64?
    /// Whether it is a copy that the link made; the packet itself follows.
    public var isCopy: Bool
    /// When it came to the interface, counted from the loop's `LoopClock`.
    public var arrival: Duration
    /// When it left the link or was dropped, by the schedule of the link.
    public var departure: Duration
    /// The IP packet with its headers; for what is no IP, the frame without its header.
    public var length: ByteCount
    /// What became of it.
    public var fate: Fate

    /// Says what became of a packet.
    public init(
        direction: LinkDirection, number: UInt64?, isCopy: Bool = false, arrival: Duration,
        departure: Duration, length: ByteCount, fate: Fate
    ) {
        self.direction = direction
        self.number = number
        self.isCopy = isCopy
        self.arrival = arrival
        self.departure = departure
        self.length = length
        self.fate = fate
    }
}
