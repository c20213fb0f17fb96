public import LinkUnits

/// What the packet engine counts in one direction of a link, and the kernel does not tell.
public struct EngineCounters: Sendable, Hashable {
    /// Packets that came to the link.
    public var arrivedPackets: UInt64 = 0
    /// Their bytes, IP headers included.
    public var arrivedBytes = ByteCount(bytes: 0)
    /// Packets dropped because the queue was full.
    public var queueFullPackets: UInt64 = 0
    /// Packets dropped by the queue management.
    public var managedPackets: UInt64 = 0
    /// Packets delivered twice.
    public var duplicatedPackets: UInt64 = 0
    /// Packets delivered with a bit flipped.
    public var corruptedPackets: UInt64 = 0
    /// Frames that passed at once: no IP, or neighbour discovery.
    public var exemptPackets: UInt64 = 0
    /// Packets on the link now, queued or under way.
    public var heldPackets: UInt64 = 0
    /// The most packets that were in the queue at once.
    public var longestQueuePackets: UInt64 = 0
    /// Frames that came faster than they could be read, and so were lost; no profile asks for it.
    public var socketDroppedPackets: UInt64 = 0
    /// Packets for which there was no memory left; no profile asks for it.
    public var memoryDroppedPackets: UInt64 = 0
    /// Frames that could not be read, or were too long; no profile asks for it.
    public var unreadablePackets: UInt64 = 0
    /// Frames that the kernel did not take at the other end; no profile asks for it.
    public var unsentPackets: UInt64 = 0
    /// How late packets left the link; nil if none did.
    public var lateness: Lateness?
    /// The time that packets which left had been on the link, added up.
    public var timeOnLink = Duration.zero

    /// Counters of a link that nothing has passed.
    public init() {}

    /// How much later than scheduled packets were handed to the kernel, in microseconds.
    public struct Lateness: Codable, Sendable, Hashable {
        /// Half of them were not later than this.
        public var p50: Double
        /// Of a hundred, 99 were not later than this.
        public var p99: Double
        /// None was later than this.
        public var maximum: Double

        /// Describes how late packets were.
        public init(p50: Double, p99: Double, maximum: Double) {
            self.p50 = p50
            self.p99 = p99
            self.maximum = maximum
        }
    }

    /// Packets lost for want of time or memory, which no profile asks for.
    public var unwantedDrops: UInt64 {
        [socketDroppedPackets, memoryDroppedPackets, unreadablePackets, unsentPackets]
            .reduce(0) { $0.addingSaturated($1) }
    }

    /// What was counted on two links together. The longest queue and the lateness are those of the
    /// worse one.
    static func + (left: Self, right: Self) -> Self {
        var sum = left
        for (_, counter) in counters {
            sum[keyPath: counter] = left[keyPath: counter].addingSaturated(right[keyPath: counter])
        }
        sum.longestQueuePackets = max(left.longestQueuePackets, right.longestQueuePackets)
        sum.lateness = [left.lateness, right.lateness].compactMap(\.self).max { $0.p99 < $1.p99 }
        sum.timeOnLink += right.timeOnLink
        return sum
    }
}

extension EngineCounters {
    private static var counters: [(key: String, value: WritableKeyPath<Self, UInt64>)] {
        [
            ("arrivedPackets", \.arrivedPackets), ("arrivedBytes", \.arrivedBytes.number),
            ("queueFullPackets", \.queueFullPackets), ("managedPackets", \.managedPackets),
            ("duplicatedPackets", \.duplicatedPackets), ("corruptedPackets", \.corruptedPackets),
            ("exemptPackets", \.exemptPackets), ("heldPackets", \.heldPackets),
            ("longestQueuePackets", \.longestQueuePackets),
            ("socketDroppedPackets", \.socketDroppedPackets),
            ("memoryDroppedPackets", \.memoryDroppedPackets),
            ("unreadablePackets", \.unreadablePackets), ("unsentPackets", \.unsentPackets),
        ]
    }

    private static let latenessKey = CounterKey("latenessMicroseconds")

    /// Nil if the fields are null.
    init?(ifPresentIn fields: KeyedDecodingContainer<CounterKey>) throws {
        var isPresent = false
        for (key, counter) in Self.counters {
            let number = try fields.decodeIfPresent(UInt64.self, forKey: CounterKey(key))
            isPresent = isPresent || number != nil
            self[keyPath: counter] = number ?? 0
        }
        guard isPresent else { return nil }
        lateness = try fields.decodeIfPresent(Lateness.self, forKey: Self.latenessKey)
    }

    /// Writes the counters, or null for each of them.
    static func encode(
        _ engine: Self?, into fields: inout KeyedEncodingContainer<CounterKey>
    ) throws {
        for (key, counter) in counters {
            // An `Optional` as such is written as null.
            try fields.encode(engine?[keyPath: counter], forKey: CounterKey(key))
        }
        try fields.encode(engine?.lateness, forKey: latenessKey)
    }
}

/// The name of a counter in JSON.
struct CounterKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }

    init?(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) { nil }
}

extension ByteCount {
    /// The number of bytes, which can be set.
    var number: UInt64 {
        get { bytes }
        set { self = ByteCount(bytes: newValue) }
    }
}
