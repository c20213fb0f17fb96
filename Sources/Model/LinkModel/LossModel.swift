public import LinkUnits

/// Random loss after the bottleneck queue.
public enum LossModel: Sendable, Hashable, Codable {
    /// Each packet is lost independently with this probability.
    case random(Ratio)
    /// Losses come in bursts of `burst` packets on average; `mean` is the share of all packets.
    case bursts(mean: Ratio, burst: Double)

    /// No loss.
    public static let none = LossModel.random(.zero)

    /// The share of packets lost in the long run.
    public var mean: Ratio {
        switch self {
        case .random(let ratio): ratio
        case .bursts(let mean, _): mean
        }
    }

    /// The mean number of consecutive lost packets (RFC 3357, loss period).
    ///
    /// Independent losses with probability p also form runs, of mean length 1 / (1 - p).
    public var meanLossBurst: Double {
        switch self {
        case .random(let ratio): ratio == .one ? .infinity : 1 / (1 - ratio.value)
        case .bursts(_, let burst): burst
        }
    }

    /// The text of a mean burst length: `8`, `2.5`.
    public static func text(ofBurst burst: Double) -> String {
        burst == burst.rounded() && abs(burst) < 1e15 ? String(Int64(burst)) : String(burst)
    }

    /// The transition probabilities of the two-state Gilbert model that loses every packet in its
    /// bad state and none in its good one.
    ///
    /// With mean loss L and mean burst B: r (bad to good) = 1/B, p (good to bad) = L / (B (1 - L)).
    /// Nil for independent loss and if p would exceed 1.
    public var gilbertTransitions: (p: Ratio, r: Ratio)? {
        guard case .bursts(let mean, let burst) = self, mean < .one, burst >= 1,
            let p = Ratio(mean.value / (burst * (1 - mean.value))), let r = Ratio(1 / burst)
        else { return nil }
        return (p, r)
    }
}
