public import LinkUnits

/// Variation of the one-way delay. Packets stay in order: a late packet holds up those behind it.
public struct Jitter: Sendable, Hashable, Codable {
    /// The shape of the variation.
    public enum Distribution: String, Sendable, Hashable, Codable, CaseIterable {
        case uniform, normal, pareto, paretonormal
    }

    /// The standard deviation, or for `uniform` half the width of the range.
    public var amount: Duration
    /// How the delay is distributed around its mean.
    public var distribution: Distribution

    /// Makes a variation, normally distributed unless `distribution` says otherwise.
    public init(amount: Duration, distribution: Distribution = .normal) {
        self.amount = amount
        self.distribution = distribution
    }
}

/// Deliberate reordering: some packets overtake those on the delay line.
public struct Reordering: Sendable, Hashable, Codable {
    /// The share of packets sent without delay.
    public var mean: Ratio
    /// Only every `gap`-th packet may overtake.
    public var gap: Int

    /// Makes a reordering; by default any packet may overtake.
    public init(mean: Ratio, gap: Int = 1) {
        self.mean = mean
        self.gap = gap
    }
}

/// How the bottleneck queue chooses what to drop.
public enum QueueManagement: String, Sendable, Hashable, Codable, CaseIterable {
    case dropTail = "drop-tail"
    case codel
    case fqCodel = "fq_codel"
    case pie

    /// Whether it marks packets (ECN) by default, as its qdisc does.
    public var marksByDefault: Bool { self == .fqCodel }
}

/// The largest packet that a link carries, and whether senders learn of the limit.
public struct LinkMTU: Sendable, Hashable, Codable {
    /// Whether the sender of a larger packet is told by ICMP.
    public enum Answers: String, Sendable, Hashable, Codable, CaseIterable {
        case answered, silent
    }

    /// From the size of the longest IPv4 header and 8 bytes (RFC 791, section 3.2) to the longest
    /// packet.
    public static let range = 68...65535

    /// Bytes of the IP packet, including its headers.
    public var bytes: Int
    /// What happens to larger packets that cannot be fragmented. Without an answer the path is a
    /// black hole for them.
    public var icmp: Answers

    /// Makes an MTU; senders of larger packets are told by default.
    public init(bytes: Int, icmp: Answers = .answered) {
        self.bytes = bytes
        self.icmp = icmp
    }

    static func bytes(parsing text: String) throws(QuantityError) -> Int {
        guard let bytes = Int(text) else {
            throw QuantityError("\"\(text)\" is not a number of bytes; write one such as 1280")
        }
        guard range.contains(bytes) else {
            throw QuantityError(
                "\(bytes) is outside \(range.lowerBound) to \(range.upperBound) bytes")
        }
        return bytes
    }
}

/// What one direction of a link does to packets, in this order: MTU, bottleneck queue and
/// bandwidth, loss, delay. `ConditionField` reads, writes and shows its properties.
public struct DirectionConditions: Sendable, Hashable, Codable {
    /// The rate of the bottleneck, counted per IP packet with its headers. Nil: no limit.
    public var bandwidth: Bandwidth?
    /// One-way propagation delay (RFC 7679).
    public var delay: Duration
    /// Variation of the delay.
    public var jitter: Jitter?
    /// Loss after the queue.
    public var loss: LossModel
    /// The share of packets duplicated.
    public var duplicate: Ratio
    /// The share of packets in which one bit is flipped.
    public var corrupt: Ratio
    /// Deliberate reordering.
    public var reorder: Reordering?
    /// The buffer in front of the bottleneck. Nil: the default, see `queuePackets`.
    public var queue: QueueLimit?
    /// How the queue chooses what to drop.
    public var aqm: QueueManagement
    /// Whether `aqm` marks ECN-capable packets instead of dropping them (RFC 3168). Nil: the
    /// default of its qdisc, see `QueueManagement.marksByDefault`.
    public var ecn: Bool?
    /// A file of delivery opportunities (mahimahi's format) instead of a bandwidth.
    public var trace: String?
    /// The largest packet. Nil: the interface's own MTU.
    public var mtu: LinkMTU?

    /// Makes conditions; without arguments, those of a perfect link.
    public init(
        bandwidth: Bandwidth? = nil, delay: Duration = .zero, jitter: Jitter? = nil,
        loss: LossModel = .none, duplicate: Ratio = .zero, corrupt: Ratio = .zero,
        reorder: Reordering? = nil, queue: QueueLimit? = nil, aqm: QueueManagement = .dropTail,
        ecn: Bool? = nil, trace: String? = nil, mtu: LinkMTU? = nil
    ) {
        self.bandwidth = bandwidth
        self.delay = delay
        self.jitter = jitter
        self.loss = loss
        self.duplicate = duplicate
        self.corrupt = corrupt
        self.reorder = reorder
        self.queue = queue
        self.aqm = aqm
        self.ecn = ecn
        self.trace = trace
        self.mtu = mtu
    }

    /// Whether the queue marks ECN-capable packets instead of dropping them.
    public var marksPackets: Bool { ecn ?? aqm.marksByDefault }

    /// A full-size packet, as assumed by queue limits in packets: 1500 bytes of IP.
    public static let fullPacket = ByteCount(bytes: 1500)

    /// A full-size packet on this link.
    public var fullPacket: ByteCount {
        min(Self.fullPacket, ByteCount(bytes: UInt64(mtu?.bytes ?? .max)))
    }

    /// The queue length in full-size packets; nil if nothing limits the rate, since nothing queues
    /// then.
    ///
    /// The default is the larger of 50 packets (dummynet's default, which Apple's tool uses) and
    /// 100 ms at the bandwidth, but no more than a queue may hold.
    public var queuePackets: Int? {
        switch queue {
        case .packets(let count): return count
        case .bytes(let count): return max(1, count.packets(of: fullPacket))
        case .time(let duration): return packets(in: duration).map { max(1, $0) }
        case nil:
            return packets(in: .milliseconds(100)).map { min(max(50, $0), Self.longestQueue) }
        }
    }

    private func packets(in time: Duration) -> Int? {
        bandwidth?.byteCount(in: time).packets(of: fullPacket)
    }
}
