public import LinkUnits

/// A packet as the emulation sees it: everything that affects its treatment, without its bytes.
public struct Packet: Sendable, Hashable {
    /// The caller's ID for the bytes, returned with the verdict.
    public var slot: UInt32
    /// The length of the IP packet with its headers, without the link layer: what a bandwidth
    /// counts.
    public var length: ByteCount
    /// Equal for packets of the same flow, as `fq_codel` distinguishes them.
    public var flow: UInt32
    /// Whether it is outgoing DNS, which a profile may delay more.
    public var isDNS: Bool
    /// Whether its sender accepts a mark instead of a drop (ECN, RFC 3168).
    public var canBeMarked: Bool
    /// Whether the queue management has marked it.
    public internal(set) var isMarked = false

    /// Makes a packet.
    public init(
        slot: UInt32, length: ByteCount, flow: UInt32 = 0, isDNS: Bool = false,
        canBeMarked: Bool = false
    ) {
        self.slot = slot
        self.length = length
        self.flow = flow
        self.isDNS = isDNS
        self.canBeMarked = canBeMarked
    }

    /// Marks it if possible; false if it has to be dropped.
    mutating func mark() -> Bool {
        isMarked = isMarked || canBeMarked
        return isMarked
    }
}

/// What happened to a packet.
public enum Verdict: Sendable, Hashable {
    /// It leaves the link.
    case delivered
    /// It leaves the link with one bit to be flipped. The number counts from the first bit of the
    /// IP packet.
    case corrupted(bit: UInt64)
    /// The bottleneck queue was full.
    case queueFull
    /// Dropped by the queue management (CoDel, FQ-CoDel, PIE).
    case managed
    /// Dropped by the loss model.
    case lost
}

/// The end of a packet, or of one of its copies, on the link.
public struct PacketEvent: Sendable, Hashable {
    /// The caller's ID for the bytes.
    public var slot: UInt32
    /// What happened to it.
    public var verdict: Verdict
    /// When, by the schedule of the link; never later than the caller's clock.
    public var time: Duration
    /// Whether this is the last event for this slot; false while a copy is still on the link.
    public var releasesSlot: Bool
    /// Whether it leaves with a congestion mark (ECN), which the caller has to set.
    public var isMarked: Bool
    /// When the bottleneck began to transmit it; for a dropped packet, when it was dropped.
    public internal(set) var transmissionStart: Duration
    /// When its last byte was transmitted; for a dropped packet, when it was dropped.
    public internal(set) var transmissionEnd: Duration

    /// Makes an event of a packet whose transmission took no time.
    public init(
        slot: UInt32, verdict: Verdict, time: Duration, releasesSlot: Bool = true,
        isMarked: Bool = false
    ) {
        self.slot = slot
        self.verdict = verdict
        self.time = time
        self.releasesSlot = releasesSlot
        self.isMarked = isMarked
        (transmissionStart, transmissionEnd) = (time, time)
    }
}
