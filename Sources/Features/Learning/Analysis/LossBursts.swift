import LinkModel
import Recording
import Verification

/// How often losses began where nothing waited, so that no queue can have caused them.
struct LossBursts {
    private(set) var sent = 0
    private(set) var lost = 0
    private(set) var bursts = 0

    /// The probability with which losses of the same link are called more frequent.
    private static let error = 1e-4

    init(_ trains: [ObservedTrain]) {
        for train in trains where train.seen.sent > 0 {
            let runs = Statistics.runs(train.seen.isLost)
            sent += train.seen.sent
            lost += runs.reduce(0, +)
            bursts += runs.count
        }
    }

    /// Whether so many other bursts among so many packets can come from the same losses.
    ///
    /// Bursts come independently of each other, unlike lost packets. So if the losses are the same,
    /// each burst of both samples is from this one with the probability of its share of the packets.
    func allow(bursts others: Int, of packets: Int) -> Bool {
        guard others > 0 else { return true }
        guard sent > 0, packets > 0 else { return false }
        let share = Double(sent) / Double(sent + packets)
        return ProportionInterval(
            successes: Double(bursts), trials: Double(bursts + others), error: 2 * Self.error
        ).high >= share
    }

    /// The largest share of losses that agrees with what was seen.
    var mostLoss: Double {
        guard sent > 0 else { return 1 }
        let share = Double(lost) / Double(sent)
        let worth = LossModel.independentShare(
            mean: share, burst: Double(lost) / Double(max(1, bursts)))
        return ProportionInterval(
            successes: Double(lost) * worth, trials: Double(sent) * worth, error: 2 * Self.error
        ).high
    }
}
