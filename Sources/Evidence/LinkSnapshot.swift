public import LinkUnits
import PacketEngine
public import PacketLoop

/// What had passed over a link by a moment.
public struct LinkSnapshot: Sendable, Hashable {
    /// From the app to the network.
    public var up: Way
    /// From the network to the app.
    public var down: Way

    /// What had passed in one direction.
    public struct Way: Sendable, Hashable {
        /// Packets delivered.
        public var packets: UInt64
        /// Their bytes, IP headers included.
        public var bytes: ByteCount
        /// Packets dropped by the queue.
        public var dropped: UInt64
        /// Packets lost by the profile's loss.
        public var lost: UInt64
        /// Packets in the queue at that moment.
        public var queuedPackets: UInt64
        /// The time that the delivered packets had been on the link, added up; nil if nobody
        /// knows.
        public var timeOnLink: Duration?

        /// Describes a direction.
        public init(
            packets: UInt64, bytes: ByteCount, dropped: UInt64, lost: UInt64,
            queuedPackets: UInt64, timeOnLink: Duration?
        ) {
            self.packets = packets
            self.bytes = bytes
            self.dropped = dropped
            self.lost = lost
            self.queuedPackets = queuedPackets
            self.timeOnLink = timeOnLink
        }

        /// Takes over what the packet engine counted.
        init(_ statistics: DirectionStatistics) {
            let link = statistics.link
            self.init(
                packets: link.deliveredPackets, bytes: link.deliveredBytes,
                dropped: link.queueFullPackets + link.managedPackets, lost: link.lostPackets,
                queuedPackets: UInt64(link.queuedPackets), timeOnLink: statistics.timeOnLink)
        }
    }

    /// Describes a link.
    public init(up: Way, down: Way) {
        self.up = up
        self.down = down
    }

    /// Takes over what the packet engine counted.
    public init(_ loop: LoopStatistics) {
        self.init(up: Way(loop.up), down: Way(loop.down))
    }
}

extension LinkSnapshot {
    /// What had passed over two links together.
    public static func + (left: LinkSnapshot, right: LinkSnapshot) -> LinkSnapshot {
        LinkSnapshot(up: left.up + right.up, down: left.down + right.down)
    }
}

extension LinkSnapshot.Way {
    fileprivate static func + (left: Self, right: Self) -> Self {
        Self(
            packets: left.packets + right.packets,
            bytes: ByteCount(bytes: left.bytes.bytes + right.bytes.bytes),
            dropped: left.dropped + right.dropped, lost: left.lost + right.lost,
            queuedPackets: left.queuedPackets + right.queuedPackets,
            timeOnLink: left.timeOnLink.flatMap { left in right.timeOnLink.map { left + $0 } })
    }
}
