import LinkUnits
import Verification

/// The rate of a bottleneck, from an overload.
struct RateEstimate {
    /// In bits per second.
    let value: Double
    let low: Double
    let high: Double
    /// What was sent.
    let offered: Double
    let packets: Int
    /// Whether more was sent than arrived.
    let isSaturated: Bool
    /// The share of the packets that were lost behind the bottleneck just then.
    let lost: Double

    private static let blocks = 10
    /// Student's t for 95 % and nine degrees of freedom.
    private static let quantile = 2.262

    /// - Parameters:
    ///   - loss: The share of packets lost behind the bottleneck.
    ///   - jitter: The spread of the delay in milliseconds.
    ///   - idle: What the link loses where nothing waits.
    init?(_ overload: Overload, loss: Double, jitter: Double, idle: LossBursts) {
        guard let hold = overload.hold, let offered = hold.offered, hold.arrived >= 20 else {
            return nil
        }
        // Lost packets that can be counted are worth more than the share of others that was lost at
        // another time.
        let served = ServedPackets(hold, idle: idle, jitter: jitter)
        let isCounted = served.verdict == .counted
        lost = isCounted ? served.lost : loss
        let arrived = served.times
        let loss = isCounted ? 0 : loss
        // The first may still come from before the queue was full.
        let times = arrived.dropFirst(arrived.count / 10).map { Double($0 - arrived[0]) / 1e9 }
        guard let perSecond = Statistics.rate(ofEventsAt: times) else { return nil }
        let bits = Double(hold.train.packetBytes * 8) / max(0.01, 1 - loss)
        value = perSecond * bits
        self.offered = offered
        packets = hold.arrived - hold.arrived / 10
        isSaturated = value < offered * 0.97
        // Rates of equal numbers of packets, as far as they differ.
        let size = max(1, (times.count - 1) / Self.blocks)
        let rates = (0..<Self.blocks).compactMap { block -> Double? in
            let (first, last) = (block * size, (block + 1) * size)
            guard last < times.count, times[last] > times[first] else { return nil }
            return Double(size) / (times[last] - times[first]) * bits
        }
        let spread = Statistics.standardDeviation(rates) ?? 0
        // Where jitter moves the ends of blocks, what one gains the next loses.
        let whole = (times.last ?? 0) - (times.first ?? 0)
        let chance =
            jitter > 0.3
            ? value * jitter * 3 / 1000 / max(0.1, whole)
            : Self.quantile * spread / Double(max(1, rates.count)).squareRoot()
        let variance = loss * (1 - loss) / Double(max(1, times.count))
        let error = chance + value * (1.96 * variance.squareRoot() / max(0.01, 1 - loss) + 0.002)
        (low, high) = (max(1, value - error), value + error)
    }
}
