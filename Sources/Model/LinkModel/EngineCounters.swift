public import LinkUnits

/// Counters of one direction of a link that the packet engine has and the kernel does not.
public struct EngineCounters: Sendable, Hashable {
    /// Packets that arrived at the link.
    public var arrivedPackets: UInt64 = 0
    /// Bytes that arrived, including IP headers.
    public var arrivedBytes = ByteCount(bytes: 0)
    /// Packets dropped because the queue was full.
    public var queueFullPackets: UInt64 = 0
    /// Packets dropped by the AQM.
    public var managedPackets: UInt64 = 0
    /// Packets dropped by the firewall in the middle.
    public var blockedPackets: UInt64 = 0
    /// Packets dropped because the firewall in the middle had forgotten their TCP connection.
    public var forgottenPackets: UInt64 = 0
    /// Packets dropped because the NAT in the middle had no entry that let them in.
    public var unmappedPackets: UInt64 = 0
    /// Packets dropped because the NAT in the middle had no room for their entry.
    public var tableFullPackets: UInt64 = 0
    /// Packets dropped because the name server in the middle was down.
    public var unansweredPackets: UInt64 = 0
    /// Packets dropped by the captive portal in the middle.
    public var captivePackets: UInt64 = 0
    /// Packets dropped because the network in the middle has no way for their family.
    public var unroutedPackets: UInt64 = 0
    /// Questions for names that the middle answered with SERVFAIL.
    public var failedQuestions: UInt64 = 0
    /// Questions for names that the middle answered with NXDOMAIN.
    public var unknownNameQuestions: UInt64 = 0
    /// Questions for names that the middle answered wrongly.
    public var misledQuestions: UInt64 = 0
    /// Questions for names whose answer the middle cut.
    public var truncatedQuestions: UInt64 = 0
    /// Questions for names to which the middle gave addresses of its NAT64.
    public var synthesizedQuestions: UInt64 = 0
    /// Packets to which the NAT, the NAT64 or the captive portal in the middle gave other addresses.
    public var translatedPackets: UInt64 = 0
    /// How often the NAT in the middle forgot its entries by intention; counted upward only.
    public var rebindings: UInt64 = 0
    /// Packets delivered twice.
    public var duplicatedPackets: UInt64 = 0
    /// Packets delivered with a bit flipped.
    public var corruptedPackets: UInt64 = 0
    /// Frames passed on at once: non-IP frames and neighbour discovery.
    public var exemptPackets: UInt64 = 0
    /// Packets on the link now, in the queue or on the delay line.
    public var heldPackets: UInt64 = 0
    /// The most packets that were in the queue at once.
    public var longestQueuePackets: UInt64 = 0
    /// Frames lost because they arrived faster than they could be read; never asked for by a
    /// profile.
    public var socketDroppedPackets: UInt64 = 0
    /// Packets dropped for lack of memory; never asked for by a profile.
    public var memoryDroppedPackets: UInt64 = 0
    /// Frames that could not be read or were too long; never asked for by a profile.
    public var unreadablePackets: UInt64 = 0
    /// Frames that the kernel refused at the other end; never asked for by a profile.
    public var unsentPackets: UInt64 = 0
    /// How late packets left the link; nil if none left.
    public var lateness: Lateness?
    /// The packets that were later than allowed.
    public var late = LatePackets()
    /// The total time that delivered packets spent on the link.
    public var timeOnLink = Duration.zero

    /// Makes the counters of a link without traffic.
    public init() {}

    /// How much later than scheduled packets were handed to the kernel, in microseconds.
    public struct Lateness: Codable, Sendable, Hashable {
        /// The median.
        public var p50: Double
        /// The 99th percentile.
        public var p99: Double
        /// The maximum.
        public var maximum: Double

        /// Makes a summary of lateness.
        public init(p50: Double, p99: Double, maximum: Double) {
            self.p50 = p50
            self.p99 = p99
            self.maximum = maximum
        }
    }

    /// Packets lost for lack of time or memory; never asked for by a profile.
    public var unwantedDrops: UInt64 {
        [socketDroppedPackets, memoryDroppedPackets, unreadablePackets, unsentPackets]
            .reduce(0) { $0.addingSaturated($1) }
    }

    /// The sum of the counters of two links. The longest queue and the lateness are those of the
    /// worse link.
    static func + (left: Self, right: Self) -> Self {
        var sum = left
        for (_, counter) in counters {
            sum[keyPath: counter] = left[keyPath: counter].addingSaturated(right[keyPath: counter])
        }
        sum.longestQueuePackets = max(left.longestQueuePackets, right.longestQueuePackets)
        sum.lateness = [left.lateness, right.lateness].compactMap(\.self).max { $0.p99 < $1.p99 }
        sum.late = left.late + right.late
        sum.timeOnLink += right.timeOnLink
        return sum
    }
}

extension EngineCounters {
    private static var counters: [(key: String, value: WritableKeyPath<Self, UInt64>)] {
        [
            ("arrivedPackets", \.arrivedPackets), ("arrivedBytes", \.arrivedBytes.number),
            ("queueFullPackets", \.queueFullPackets), ("managedPackets", \.managedPackets),
            ("blockedPackets", \.blockedPackets), ("forgottenPackets", \.forgottenPackets),
            ("unmappedPackets", \.unmappedPackets), ("tableFullPackets", \.tableFullPackets),
            ("unansweredPackets", \.unansweredPackets), ("captivePackets", \.captivePackets),
            ("unroutedPackets", \.unroutedPackets),
            ("failedQuestions", \.failedQuestions),
            ("unknownNameQuestions", \.unknownNameQuestions),
            ("misledQuestions", \.misledQuestions), ("truncatedQuestions", \.truncatedQuestions),
            ("synthesizedQuestions", \.synthesizedQuestions),
            ("translatedPackets", \.translatedPackets), ("rebindings", \.rebindings),
            ("duplicatedPackets", \.duplicatedPackets), ("corruptedPackets", \.corruptedPackets),
            ("exemptPackets", \.exemptPackets), ("heldPackets", \.heldPackets),
            ("longestQueuePackets", \.longestQueuePackets),
            ("socketDroppedPackets", \.socketDroppedPackets),
            ("memoryDroppedPackets", \.memoryDroppedPackets),
            ("unreadablePackets", \.unreadablePackets), ("unsentPackets", \.unsentPackets),
        ]
    }

    private static let latenessKey = CounterKey("latenessMicroseconds")
    private static let lateKey = CounterKey("late")

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
        late = try fields.decodeIfPresent(LatePackets.self, forKey: Self.lateKey) ?? LatePackets()
    }

    /// Writes the counters, or null for each of them.
    static func encode(
        _ engine: Self?, into fields: inout KeyedEncodingContainer<CounterKey>
    ) throws {
        for (key, counter) in counters {
            // Encoding the `Optional` itself writes null.
            try fields.encode(engine?[keyPath: counter], forKey: CounterKey(key))
        }
        try fields.encode(engine?.lateness, forKey: latenessKey)
        try fields.encode(engine?.late, forKey: lateKey)
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
    /// The number of bytes, as a settable property.
    var number: UInt64 {
        get { bytes }
        set { self = ByteCount(bytes: newValue) }
    }
}
