public import LinkUnits

/// Counters of an emulated link since its creation.
///
/// Every packet that arrived was delivered, was dropped for one of three reasons, or is still held:
/// `arrivedPackets` = `deliveredPackets` - `duplicatedPackets` + `droppedPackets` + `heldPackets`.
public struct EmulatorCounters: Sendable, Hashable {
    /// Packets that arrived at the near end.
    public internal(set) var arrivedPackets: UInt64 = 0
    /// Their bytes, counted as IP packets.
    public internal(set) var arrivedBytes = ByteCount(bytes: 0)
    /// Packets that left at the far end, copies included.
    public internal(set) var deliveredPackets: UInt64 = 0
    /// Their bytes, counted as IP packets.
    public internal(set) var deliveredBytes = ByteCount(bytes: 0)
    /// Duplicated packets, each counted once.
    public internal(set) var duplicatedPackets: UInt64 = 0
    /// Delivered packets in which a bit was flipped.
    public internal(set) var corruptedPackets: UInt64 = 0
    /// Packets dropped because the bottleneck queue was full.
    public internal(set) var queueFullPackets: UInt64 = 0
    /// Packets dropped by the queue management.
    public internal(set) var managedPackets: UInt64 = 0
    /// Packets that the queue management marked instead of dropping them (ECN).
    public internal(set) var markedPackets: UInt64 = 0
    /// Packets dropped by the loss model.
    public internal(set) var lostPackets: UInt64 = 0
    /// Packets at the bottleneck now, queued or in transmission.
    public internal(set) var queuedPackets = 0
    /// The bytes of those packets.
    public internal(set) var queuedBytes = ByteCount(bytes: 0)
    /// The largest number of packets that were at the bottleneck at once.
    public internal(set) var longestQueue = 0

    /// Makes the counters of a link that no packet has met.
    public init() {}

    /// Packets dropped for any reason.
    public var droppedPackets: UInt64 { queueFullPackets + managedPackets + lostPackets }

    /// Packets anywhere on the link: at the bottleneck or in flight to the far end.
    public var heldPackets: UInt64 {
        arrivedPackets - droppedPackets - (deliveredPackets - duplicatedPackets)
    }
}
