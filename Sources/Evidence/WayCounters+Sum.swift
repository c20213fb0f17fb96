import LinkUnits

extension WayCounters {
    /// What was counted on several links together. The longest queue and the lateness are those of
    /// the worst of them; what one of them does not tell is nil.
    ///
    /// - Parameter all: at least one.
    init(sumOf all: [WayCounters]) {
        self = all[0]
        for other in all.dropFirst() { add(other) }
    }

    private mutating func add(_ other: WayCounters) {
        packets = packets.addingSaturated(other.packets)
        bytes = bytes.addingSaturated(other.bytes)
        dropped = dropped.addingSaturated(other.dropped)
        lost = lost.addingSaturated(other.lost)
        queuedPackets = queuedPackets.addingSaturated(other.queuedPackets)
        bitsPerSecond = bitsPerSecond.addingSaturated(other.bitsPerSecond)
        for counter in Self.optionalCounters {
            self[keyPath: counter] = Self.sum(self[keyPath: counter], other[keyPath: counter])
        }
        longestQueuePackets = longestQueuePackets.flatMap { mine in
            other.longestQueuePackets.map { max(mine, $0) }
        }
        latenessMicroseconds = [latenessMicroseconds, other.latenessMicroseconds]
            .compactMap(\.self).max { $0.p99 < $1.p99 }
    }

    private static var optionalCounters: [WritableKeyPath<WayCounters, UInt64?>] {
        [
            \.arrivedPackets, \.arrivedBytes, \.queueFullPackets, \.managedPackets,
            \.duplicatedPackets, \.corruptedPackets, \.exemptPackets, \.heldPackets,
            \.ecnMarkedPackets, \.socketDroppedPackets, \.memoryDroppedPackets,
            \.unreadablePackets, \.unsentPackets,
        ]
    }

    private static func sum(_ left: UInt64?, _ right: UInt64?) -> UInt64? {
        left.flatMap { left in right.map { left.addingSaturated($0) } }
    }
}
