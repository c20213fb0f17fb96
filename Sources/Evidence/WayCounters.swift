public import LinkUnits
import PacketEngine
public import PacketLoop

/// What was counted in one direction of a link. What the kernel does not tell is nil.
///
/// The first six are those of `linkcond status --json`.
public struct WayCounters: Codable, Sendable, Hashable {
    /// Packets delivered, copies included.
    public var packets: UInt64
    /// Their bytes, IP headers included.
    public var bytes: UInt64
    /// Packets dropped by the queue: because it was full, or by its management.
    public var dropped: UInt64
    /// Packets lost by the loss model.
    public var lost: UInt64
    /// Packets that waited in the queue at the end.
    public var queuedPackets: UInt64
    /// The mean rate of delivery until what the command sent had arrived.
    public var bitsPerSecond: UInt64

    /// Packets that came to the link.
    @OrNull public var arrivedPackets: UInt64?
    /// Their bytes, IP headers included.
    @OrNull public var arrivedBytes: UInt64?
    /// Packets dropped because the queue was full.
    @OrNull public var queueFullPackets: UInt64?
    /// Packets dropped by the queue management.
    @OrNull public var managedPackets: UInt64?
    /// Packets delivered twice.
    @OrNull public var duplicatedPackets: UInt64?
    /// Packets delivered with a bit flipped.
    @OrNull public var corruptedPackets: UInt64?
    /// Frames that passed at once: no IP, or neighbour discovery.
    @OrNull public var exemptPackets: UInt64?
    /// Packets that were on the link at the end, queued or under way.
    @OrNull public var heldPackets: UInt64?
    /// The most packets that were in the queue at once.
    @OrNull public var longestQueuePackets: UInt64?
    /// Packets marked in place of being dropped (ECN).
    @OrNull public var ecnMarkedPackets: UInt64?
    /// Frames that came faster than they could be read, and so were lost; no profile asks for it.
    @OrNull public var socketDroppedPackets: UInt64?
    /// Packets for which there was no memory left; no profile asks for it.
    @OrNull public var memoryDroppedPackets: UInt64?
    /// Frames that could not be read, or were too long; no profile asks for it.
    @OrNull public var unreadablePackets: UInt64?
    /// Frames that the kernel did not take at the other end; no profile asks for it.
    @OrNull public var unsentPackets: UInt64?
    /// How late packets left the link.
    @OrNull public var latenessMicroseconds: Lateness?

    /// How much later than scheduled packets were handed to the kernel.
    public struct Lateness: Codable, Sendable, Hashable {
        /// Half of them were not later than this.
        public var p50: Double
        /// Of a hundred, 99 were not later than this.
        public var p99: Double
        /// None was later than this.
        public var maximum: Double
    }

    /// Takes over what every data plane knows.
    ///
    /// - Parameter duration: the time over which the rate is averaged.
    public init(
        packets: UInt64, bytes: ByteCount, dropped: UInt64, lost: UInt64, queuedPackets: UInt64,
        duration: Duration
    ) {
        self.packets = packets
        self.bytes = bytes.bytes
        self.dropped = dropped
        self.lost = lost
        self.queuedPackets = queuedPackets
        let seconds = duration.seconds
        bitsPerSecond = seconds > 0 ? UInt64(saturating: Double(bytes.bytes) * 8 / seconds) : 0
    }

    /// Takes over what the packet engine counted.
    public init(_ statistics: DirectionStatistics, duration: Duration) {
        let link = statistics.link
        self.init(
            packets: link.deliveredPackets, bytes: link.deliveredBytes,
            dropped: link.queueFullPackets.addingSaturated(link.managedPackets),
            lost: link.lostPackets,
            queuedPackets: UInt64(link.queuedPackets), duration: duration)
        arrivedPackets = link.arrivedPackets
        arrivedBytes = link.arrivedBytes.bytes
        queueFullPackets = link.queueFullPackets
        managedPackets = link.managedPackets
        duplicatedPackets = link.duplicatedPackets
        corruptedPackets = link.corruptedPackets
        exemptPackets = statistics.exempt
        heldPackets = link.heldPackets
        longestQueuePackets = UInt64(link.longestQueue)
        ecnMarkedPackets = link.markedPackets
        socketDroppedPackets = statistics.socketDrops
        memoryDroppedPackets = statistics.memoryDrops
        unreadablePackets = statistics.unreadable
        unsentPackets = statistics.sendFailures
        latenessMicroseconds = Lateness(statistics.lateness)
    }
}

extension WayCounters.Lateness {
    /// Nil if nothing was measured.
    fileprivate init?(_ histogram: LatenessHistogram) {
        guard let median = histogram.quantile(.half), let p99 = histogram.quantile(.percent99)
        else { return nil }
        self.init(
            p50: median.microseconds, p99: p99.microseconds,
            maximum: histogram.maximum.microseconds)
    }
}

extension Duration {
    /// The length in seconds.
    var seconds: Double { self / .seconds(1) }

    fileprivate var microseconds: Double { Double(wholeNanoseconds) / 1000 }
}
