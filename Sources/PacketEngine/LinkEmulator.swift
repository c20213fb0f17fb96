import DequeModule
public import LinkModel

/// One direction of a link.
///
/// Sans-I/O: the caller says what time it is and what arrived, and asks what leaves. All times
/// are distances from one moment of the caller's choice, and never go back.
public struct LinkEmulator: Sendable {
    private var conditions: DirectionConditions
    private var line = Deque<(packet: Packet, due: Duration)>()

    /// Makes an empty link.
    ///
    /// The same seed and the same packets at the same times have the same fate.
    public init(_ conditions: DirectionConditions, dnsDelay: Duration? = nil, seed: UInt64) {
        self.conditions = conditions
    }

    /// Whether its conditions treat packets one by one, so that a super-packet has to be cut.
    public var treatsPacketsSingly: Bool {
        conditions != DirectionConditions(delay: conditions.delay)
    }

    /// A packet arrives at the near end.
    public mutating func enqueue(_ packet: Packet, at now: Duration) {
        line.append((packet, now + conditions.delay))
    }

    /// The next packet that has left the link by `now`, or was dropped; nil if there is none yet.
    public mutating func nextVerdict(at now: Duration) -> PacketEvent? {
        guard let first = line.first, first.due <= now else { return nil }
        line.removeFirst()
        return PacketEvent(slot: first.packet.slot, verdict: .delivered, time: first.due)
    }

    /// When `nextVerdict` will have something to say; nil while the link is empty.
    public var nextEvent: Duration? { line.first?.due }
}
