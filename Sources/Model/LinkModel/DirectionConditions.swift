public import LinkUnits

/// Variation of the one-way delay. Order is kept: a late packet holds those behind it.
public struct Jitter: Sendable, Hashable, Codable {
    /// The shape of the variation.
    public enum Distribution: String, Sendable, Hashable, Codable, CaseIterable {
        case uniform, normal, pareto, paretonormal
    }

    /// The standard deviation, or for `uniform` half the width of the range.
    public var amount: Duration
    /// How the delay is distributed around its mean.
    public var distribution: Distribution

    /// Makes a variation; a normal distribution unless another is named.
    public init(amount: Duration, distribution: Distribution = .normal) {
        self.amount = amount
        self.distribution = distribution
    }
}

/// Reordering on purpose: some packets overtake those on the delay line.
public struct Reordering: Sendable, Hashable, Codable {
    /// The share of packets that are sent at once.
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

    /// Whether it marks packets unless told otherwise, as its qdisc does.
    public var marksByDefault: Bool { self == .fqCodel }
}

/// The largest packet that a link takes, and who learns of it.
public struct LinkMTU: Sendable, Hashable, Codable {
    /// Whether who sends a larger packet is told so by ICMP.
    public enum Answers: String, Sendable, Hashable, Codable, CaseIterable {
        case answered, silent
    }

    /// From what the longest IPv4 header needs (RFC 791, section 3.2) to the longest packet.
    public static let range = 68...65535

    /// Bytes of the IP packet, with its headers.
    public var bytes: Int
    /// What becomes of larger packets that cannot be cut. Without an answer the path is a black
    /// hole for them.
    public var icmp: Answers

    /// Makes an MTU; who exceeds it is told so unless said otherwise.
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

/// What one direction of a link does to packets, in this order: MTU, bottleneck queue and bandwidth,
/// loss, delay. How its properties are read, written and shown is in `ConditionField`.
public struct DirectionConditions: Sendable, Hashable, Codable {
    /// The rate of the bottleneck, counted per IP packet with its headers. Nil: no limit.
    public var bandwidth: Bandwidth?
    /// One-way propagation delay (RFC 7679).
    public var delay: Duration
    /// Variation of the delay.
    public var jitter: Jitter?
    /// Loss behind the queue.
    public var loss: LossModel
    /// The share of packets that arrive twice.
    public var duplicate: Ratio
    /// The share of packets in which one bit is flipped.
    public var corrupt: Ratio
    /// Reordering on purpose.
    public var reorder: Reordering?
    /// The buffer in front of the bottleneck. Nil: the default, see `queuePackets`.
    public var queue: QueueLimit?
    /// What the queue drops.
    public var aqm: QueueManagement
    /// Whether `aqm` marks packets that can be marked (ECN, RFC 3168) in place of dropping them.
    /// Nil: as the qdisc of that name, see `QueueManagement.marksByDefault`.
    public var ecn: Bool?
    /// A file of delivery opportunities (mahimahi's format) in place of a bandwidth.
    public var trace: String?
    /// The largest packet. Nil: what the interface takes.
    public var mtu: LinkMTU?

    /// Makes conditions; without arguments those of a perfect link.
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

    /// Whether the queue marks packets in place of dropping them, where both will do.
    public var marksPackets: Bool { ecn ?? aqm.marksByDefault }

    /// A packet of full size, as queues in packets assume it: 1500 bytes of IP.
    public static let fullPacket = ByteCount(bytes: 1500)

    /// A packet of full size on this link.
    public var fullPacket: ByteCount {
        min(Self.fullPacket, ByteCount(bytes: UInt64(mtu?.bytes ?? .max)))
    }

    /// The queue in packets of full size; nil where nothing limits the rate and so nothing queues.
    ///
    /// By default the larger of 50 packets (dummynet's default, as Apple's tool has it) and
    /// 100 ms at the bandwidth.
    public var queuePackets: Int? {
        switch queue {
        case .packets(let count): return count
        case .bytes(let count): return max(1, count.packets(of: fullPacket))
        case .time(let duration): return packets(in: duration).map { max(1, $0) }
        case nil: return packets(in: .milliseconds(100)).map { max(50, $0) }
        }
    }

    private func packets(in time: Duration) -> Int? {
        bandwidth?.byteCount(in: time).packets(of: fullPacket)
    }
}
