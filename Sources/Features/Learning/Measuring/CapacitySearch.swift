import LinkModel
import LinkUnits
import Verification

/// Finds the order of magnitude of a bandwidth: short trains, each faster than the one before, until
/// they arrive slower than they were sent.
struct CapacitySearch {
    /// What is known of the bandwidth, in bits per second.
    private(set) var estimate: Double?
    /// Whether even the fastest train passed.
    private(set) var isUnlimited = false
    private(set) var isDone = false
    /// What this end and the responder send at most.
    let limit: Double

    private var rate = 1_000_000.0
    private var time = 0.12
    private var failures = 0
    private var confirmations = 0

    init(limit: Double) {
        self.limit = limit
    }

    /// The next train: packets, their size and interval.
    func next(full: Int) -> (count: Int, bytes: Int, interval: Duration) {
        let perTrain = rate * time / 8
        let bytes = min(full, max(100, Int(perTrain / 40)))
        let count = max(12, Int(perTrain / Double(bytes)))
        return (count, bytes, .nanoseconds(max(1000, Int64(Double(bytes) * 8e9 / rate))))
    }

    /// Takes what came of it.
    mutating func take(_ train: ObservedTrain) {
        guard train.arrived >= 4, let received = train.received, let offered = train.offered else {
            // Most of it was lost; perhaps the link pauses.
            failures += 1
            isDone = failures > 3
            return
        }
        guard received > 0.75 * offered, train.seen.arrivals.overflows == 0 else {
            estimate = received
            // Once more with a train that is long enough to measure.
            confirmations += 1
            rate = min(limit, received * 2)
            time = 0.3
            isDone = confirmations > 1
            return
        }
        if confirmations > 0 {
            // The first estimate was of a bad moment.
            confirmations = 0
        }
        if rate >= limit || offered < 0.6 * rate {
            estimate = received
            (isUnlimited, isDone) = (true, true)
        } else {
            rate = min(limit, max(offered, received) * 6)
            time = 0.12
        }
    }
}
