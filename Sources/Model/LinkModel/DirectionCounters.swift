public import LinkUnits

/// The traffic in one direction of a link since it was conditioned, as every data plane counts it.
public struct DirectionCounters: Sendable, Hashable {
    /// Packets delivered, including duplicates.
    public var packets: UInt64
    /// Bytes delivered, including IP headers.
    public var bytes: ByteCount
    /// Packets dropped by the queue, because it was full or by its AQM.
    public var dropped: UInt64
    /// Packets lost by the loss model.
    public var lost: UInt64
    /// Packets marked instead of dropped (ECN).
    public var marked: UInt64
    /// Packets in the queue now. The kernel also counts those on the delay line.
    public var queuedPackets: UInt64
    /// The delivery rate, averaged over about the last second or over a whole run.
    public var bitsPerSecond: UInt64
    /// Counters that only the packet engine has; nil when the kernel conditions the link.
    public var engine: EngineCounters?

    /// Makes counters; without arguments, those of a direction without traffic.
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

    /// Packets anywhere on the link: in the queue or on the delay line.
    public var heldPackets: UInt64 { engine?.heldPackets ?? queuedPackets }

    /// The same counters with the mean rate over `duration`.
    public func averaged(over duration: Duration) -> DirectionCounters {
        var counters = self
        let seconds = duration / .seconds(1)
        counters.bitsPerSecond =
            seconds > 0 ? UInt64(saturating: Double(bytes.bytes) * 8 / seconds) : 0
        return counters
    }

    /// The sum of the counters of two links. Counters that only one of them has become nil.
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

    /// Decodes what `encode` writes.
    public init(from decoder: any Decoder) throws {
        self.init()
        let fields = try decoder.container(keyedBy: CounterKey.self)
        for (key, counter) in Self.counters {
            // Reports of earlier versions do not count marks.
            let isOptional = counter == \.marked
            self[keyPath: counter] =
                isOptional
                ? try fields.decodeIfPresent(UInt64.self, forKey: CounterKey(key)) ?? 0
                : try fields.decode(UInt64.self, forKey: CounterKey(key))
        }
        engine = try EngineCounters(ifPresentIn: fields)
    }

    /// Encodes all counters in one object; those that only the packet engine has are null without
    /// it.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CounterKey.self)
        for (key, counter) in Self.counters {
            try fields.encode(self[keyPath: counter], forKey: CounterKey(key))
        }
        try EngineCounters.encode(engine, into: &fields)
    }
}
