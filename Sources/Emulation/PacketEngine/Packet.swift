public import LinkUnits

/// A packet as the emulation sees it: everything that decides its fate, and none of its bytes.
public struct Packet: Sendable, Hashable {
    /// The caller's name for the bytes, given back with the verdict.
    public var slot: UInt32
    /// The IP packet with its headers, without the link layer: what a bandwidth counts.
    public var length: ByteCount
    /// Equal for packets of the same flow: what `fq_codel` keeps apart.
    public var flow: UInt32
    /// Whether it is outgoing DNS, which a profile may delay more.
    public var isDNS: Bool
    /// Whether its sender takes a mark for a drop (ECN, RFC 3168).
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

    /// Marks it if it can be; false if it has to be dropped.
    mutating func mark() -> Bool {
        isMarked = isMarked || canBeMarked
        return isMarked
    }
}

/// What became of a packet.
public enum Verdict: Sendable, Hashable {
    /// It leaves the link.
    case delivered
    /// It leaves the link, and the bit of this number, counted from the first of the IP packet,
    /// is to be flipped.
    case corrupted(bit: UInt64)
    /// The bottleneck queue was full.
    case queueFull
    /// The queue management (CoDel, FQ-CoDel, PIE) chose it.
    case managed
    /// The loss model chose it.
    case lost
}

/// A packet's end on the link, or that of one of its copies.
public struct PacketEvent: Sendable, Hashable {
    /// The caller's name for the bytes.
    public var slot: UInt32
    /// What became of it.
    public var verdict: Verdict
    /// When, by the schedule of the link; never later than the caller's clock.
    public var time: Duration
    /// Whether no other event will name this slot; false while a copy is still on the link.
    public var releasesSlot: Bool
    /// Whether it leaves with the mark of congestion (ECN), which the caller has to make.
    public var isMarked: Bool

    /// Makes an event.
    public init(
        slot: UInt32, verdict: Verdict, time: Duration, releasesSlot: Bool = true,
        isMarked: Bool = false
    ) {
        self.slot = slot
        self.verdict = verdict
        self.time = time
        self.releasesSlot = releasesSlot
        self.isMarked = isMarked
    }
}
