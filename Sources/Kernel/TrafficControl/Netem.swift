public import LinkUnits

/// The network emulator qdisc: delay, loss, duplication, corruption, reordering and rate.
///
/// Equivalent to `tc qdisc … netem`.
public struct Netem: Sendable, Hashable {
    /// How packets are lost.
    public enum Loss: Sendable, Hashable {
        /// Each packet independently.
        case random(Ratio)
        /// A two-state model: every packet is lost in the bad state, which is entered with
        /// probability `p` and left with `r` at each packet.
        case gilbert(p: Ratio, r: Ratio)
    }

    /// One-way delay.
    public var delay: Duration
    /// Spread of the delay.
    public var jitter: Duration
    /// The shape of the spread; nil is uniform.
    public var distribution: DelayDistribution?
    /// Loss, drawn when a packet arrives.
    public var loss: Loss
    /// The share of packets that are duplicated.
    public var duplicate: Ratio
    /// The share of packets that get one flipped bit.
    public var corrupt: Ratio
    /// The share of packets sent without delay; zero reorders nothing.
    public var reorder: Ratio
    /// Only each `gap`-th packet is reordered.
    public var gap: UInt32
    /// Rate of the link. With any rate, packets keep their order whatever the jitter.
    public var rate: Bandwidth?
    /// Added to the length of each packet when computing its transmission time.
    public var packetOverhead: Int32
    /// How many packets it holds, including those of its child; more are dropped.
    public var limit: UInt32
    /// Seed of the random numbers, on kernels that support it (6.6).
    public var seed: UInt64?

    /// Makes an emulator; without arguments it passes packets unchanged.
    public init(
        delay: Duration = .zero, jitter: Duration = .zero,
        distribution: DelayDistribution? = nil, loss: Loss = .random(.zero),
        duplicate: Ratio = .zero, corrupt: Ratio = .zero, reorder: Ratio = .zero, gap: UInt32 = 0,
        rate: Bandwidth? = nil, packetOverhead: Int32 = 0, limit: UInt32 = 1000,
        seed: UInt64? = nil
    ) {
        self.delay = delay
        self.jitter = jitter
        self.distribution = distribution
        self.loss = loss
        self.duplicate = duplicate
        self.corrupt = corrupt
        self.reorder = reorder
        self.gap = gap
        self.rate = rate
        self.packetOverhead = packetOverhead
        self.limit = limit
        self.seed = seed
    }

    /// A rate so high that it only keeps packets in order.
    public static let orderKeepingRate = Bandwidth.bitsPerSecond(8_000_000_000_000)

    /// The options as tc reads them.
    var tcText: String {
        var words = ["limit \(limit)"]
        if delay > .zero || jitter > .zero {
            words.append("delay \(delay.tcText)")
            if jitter > .zero { words.append(jitter.tcText) }
            if let distribution { words.append("distribution \(distribution.rawValue)") }
        }
        switch loss {
        case .random(.zero): break
        case .random(let ratio): words.append("loss \(ratio)")
        case .gilbert(let p, let r): words.append("loss gemodel \(p) \(r) 100% 0%")
        }
        if duplicate > .zero { words.append("duplicate \(duplicate)") }
        if corrupt > .zero { words.append("corrupt \(corrupt)") }
        if reorder > .zero { words.append("reorder \(reorder) gap \(gap)") }
        if let rate {
            words.append("rate \(rate.keptTcText)")
            if packetOverhead != 0 { words.append(String(packetOverhead)) }
        }
        if let seed { words.append("seed \(seed)") }
        return words.joined(separator: " ")
    }
}
