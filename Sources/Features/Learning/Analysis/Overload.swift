import LinkModel
import Verification

/// A direction to which more was sent than it carries: a train that fills the queue slowly, so that
/// an AQM has the time to begin; one that fills it for sure; one that keeps it full; and perhaps one
/// of smaller packets.
package struct Overload: Sendable {
    package let trains: [ObservedTrain]

    package init(_ trains: [ObservedTrain]) {
        self.trains = trains.sorted { $0.train.start < $1.train.start }
    }

    /// The index of the train that keeps the queue full, and of that of smaller packets.
    static let holding = 2
    static let smaller = 3

    var hold: ObservedTrain? { trains.count > Self.holding ? trains[Self.holding] : trains.last }

    /// What was in fact sent, if nearly all of it was served: the link was not overloaded.
    ///
    /// - Parameters:
    ///   - limit: More is not sent.
    ///   - jitter: The spread of the delay in milliseconds.
    ///   - idle: What the link loses where nothing waits.
    func unsaturatedRate(limit: Double, jitter: Double, idle: LossBursts) -> Double? {
        guard let hold, let offered = hold.offered, let received = hold.received,
            offered < limit * 0.98
        else { return nil }
        // Few found the queue full. Among those that were lost behind it they would hardly be seen.
        let served = ServedPackets(hold, idle: idle, jitter: jitter)
        if served.verdict == .counted, received > offered * 0.9 * (1 - served.lost) {
            return offered
        }
        // The queue of the filling train is still there, so a link that keeps up catches up.
        let lost = 1 - Double(hold.arrived) / Double(max(1, hold.seen.sent))
        return received > offered * 0.97 && lost < 0.6 && !isQueueStanding ? offered : nil
    }

    /// Whether packets wait until the end.
    private var isQueueStanding: Bool {
        guard let hold, let least = trains.compactMap({ $0.delays.min() }).min() else {
            return false
        }
        let last = hold.delays.suffix(max(5, hold.arrived / 10))
        let packet = Double(hold.train.packetBytes * 8000) / max(1, hold.received ?? 1)
        return (Statistics.median(Array(last)) ?? 0) > least + 3 * packet + 2
    }

    /// The rates in windows of equal length in bits per second, without the first and the last.
    private func windows(of length: Double, _ times: [Int64]) -> [Double] {
        guard let hold, let first = times.first, let last = times.last else { return [] }
        let count = Int(Double(last - first) / 1e6 / length)
        guard count > 2 else { return [] }
        var counts = [Double](repeating: 0, count: count)
        for time in times {
            let place = Int(Double(time - first) / 1e6 / length)
            if place < count { counts[place] += 1 }
        }
        return counts.dropFirst().dropLast()
            .map { $0 * Double(hold.train.packetBytes * 8) * 1000 / length }
    }

    /// The length of windows whose rates can be compared, in milliseconds.
    private func windowLength(jitter: Double) -> Double {
        let packet = Double(hold?.train.packetBytes ?? 1500) * 8000 / max(1, hold?.received ?? 1)
        return max(100, packet * 15, jitter * 8)
    }

    /// The fastest tenth of a second, in bits per second.
    var peakRate: Double {
        windows(of: windowLength(jitter: 0), hold?.arrivalTimes ?? []).max() ?? hold?.received ?? 0
    }

    /// Whether the rate varies more than that of a link with a fixed bandwidth.
    ///
    /// - Parameters:
    ///   - jitter: The spread of the delay in milliseconds.
    ///   - idle: What the link loses where nothing waits.
    func isVarying(jitter: Double, idle: LossBursts) -> Bool {
        guard let hold else { return false }
        let served = ServedPackets(hold, idle: idle, jitter: jitter)
        let length = windowLength(jitter: jitter)
        let rates = windows(of: length, served.times)
        guard rates.count >= 6, let mean = Statistics.mean(rates), mean > 0,
            let deviation = Statistics.standardDeviation(rates),
            let middle = Statistics.median(rates), let slow = Statistics.percentile(0.1, of: rates),
            let fast = Statistics.percentile(0.9, of: rates)
        else { return false }
        let packets = mean * length / 8000 / Double(hold.train.packetBytes)
        // A packet more or less, the delay of the first and the last, and losses that cannot be counted.
        let chance = 1 / packets + jitter * 1.5 / length
        let lost =
            served.verdict == .uneven
            ? 1 - Double(hold.arrived) / Double(max(1, hold.seen.sent)) : 0
        let expected = chance + (max(0, lost - 0.2) / packets).squareRoot()
        guard deviation / mean > 0.06 + 2 * expected else { return false }
        // Losses that cannot be counted make windows slower, but all together by no more than their
        // share.
        if served.verdict == .uneven, mean > fast * (1 - idle.mostLoss) { return false }
        let margin = 0.1 + 1.5 * chance
        return fast > middle * (1 + margin) || slow < middle * (1 - 1.5 * margin)
    }
}
