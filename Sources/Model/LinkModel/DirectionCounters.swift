public import LinkUnits

/// What passed in one direction of a link since it was conditioned, as each data plane counts it.
public struct DirectionCounters: Sendable, Hashable {
    /// Packets delivered, copies included.
    public var packets: UInt64
    /// Their bytes, IP headers included.
    public var bytes: ByteCount
    /// Packets dropped by the queue: because it was full, or by its management.
    public var dropped: UInt64
    /// Packets lost by the loss model.
    public var lost: UInt64
    /// Packets marked in place of being dropped (ECN).
    public var marked: UInt64
    /// Packets in the queue now. The kernel counts those behind the queue as well.
    public var queuedPackets: UInt64
    /// The rate of delivery: averaged over about the last second, or over a whole run.
    public var bitsPerSecond: UInt64
    /// What the packet engine counts beside that; nil where the kernel is at work.
    public var engine: EngineCounters?

    /// Describes a direction; without arguments one that nothing has passed.
    public init(
        packets: UInt64 = 0, bytes: ByteCount = ByteCount(bytes: 0), dropped: UInt64 = 0,
        lost: UInt64 = 0, marked: UInt64 = 0, queuedPackets: UInt64 = 0, bitsPerSecond: UInt64 = 0,
        engine: EngineCounters? = nil
    ) {
        self.packets = packets
        self.bytes = bytes
        self.dropped = dropped
        self.lost = lost
        self.marked = marked
        self.queuedPackets = queuedPackets
        self.bitsPerSecond = bitsPerSecond
        self.engine = engine
    }

    /// Packets anywhere on the link: in the queue, or under way to the far end.
    public var heldPackets: UInt64 { engine?.heldPackets ?? queuedPackets }

    /// The same with the mean rate over `duration`.
    public func averaged(over duration: Duration) -> DirectionCounters {
        var counters = self
        let seconds = duration / .seconds(1)
        counters.bitsPerSecond =
            seconds > 0 ? UInt64(saturating: Double(bytes.bytes) * 8 / seconds) : 0
        return counters
    }

    /// What was counted on two links together; what only one of them counts is not known.
    public static func + (left: Self, right: Self) -> Self {
        var sum = left
        for (_, counter) in counters {
            sum[keyPath: counter] = sum[keyPath: counter]
                .addingSaturated(right[keyPath: counter])
        }
        sum.engine = left.engine.flatMap { engine in right.engine.map { engine + $0 } }
        return sum
    }
}

extension DirectionCounters: Codable {
    private static var counters: [(key: String, value: WritableKeyPath<Self, UInt64>)] {
        [
            ("packets", \.packets), ("bytes", \.bytes.number), ("dropped", \.dropped),
            ("lost", \.lost), ("ecnMarkedPackets", \.marked), ("queuedPackets", \.queuedPackets),
            ("bitsPerSecond", \.bitsPerSecond),
        ]
    }

    /// Reads what `encode` has written.
    public init(from decoder: any Decoder) throws {
        self.init()
        let fields = try decoder.container(keyedBy: CounterKey.self)
        for (key, counter) in Self.counters {
            // Reports of former versions have no number of marks.
            let isOptional = counter == \.marked
            self[keyPath: counter] =
                isOptional
                ? try fields.decodeIfPresent(UInt64.self, forKey: CounterKey(key)) ?? 0
                : try fields.decode(UInt64.self, forKey: CounterKey(key))
        }
        engine = try EngineCounters(ifPresentIn: fields)
    }

    /// Writes all counters side by side; those that only the packet engine has are null else.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CounterKey.self)
        for (key, counter) in Self.counters {
            try fields.encode(self[keyPath: counter], forKey: CounterKey(key))
        }
        try EngineCounters.encode(engine, into: &fields)
    }
}
