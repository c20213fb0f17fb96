import LinkModel
import LinkUnits
package import Verification

/// A train as both ends saw it. Times are in milliseconds.
package struct ObservedTrain: Sendable {
    package var train: ProbeTrain
    /// What was sent and what arrived.
    package var seen: SeenFlow
    /// When each packet was sent, in nanoseconds by the sender's `KernelClock.monotonic`; of those
    /// that the other end sent and that did not arrive, between their neighbours.
    package var sentTimes: [Int64]
    /// Whether the sender's interface takes no packet of this size.
    package var isTooLarge = false

    package init(_ train: ProbeTrain, sentTimes: [Int64], arrivals: ProbeReport.Arrivals) {
        self.train = train
        self.sentTimes = sentTimes
        seen = SeenFlow(
            flow: ProbePlan.Flow(
                purpose: .loss, direction: train.direction, family: .ipv4, port: 0,
                packetBytes: train.packetBytes, start: train.start,
                segments: [.init(count: train.count, interval: train.interval)]),
            sent: sentTimes.count, arrivals: arrivals)
    }

    /// The delays of the packets in the order of arrival, without copies.
    var delays: [Double] { seen.delays }
    var arrived: Int { seen.firsts.count }
    /// From the first packet sent to the last.
    var sendingTime: Double {
        guard let first = sentTimes.first, let last = sentTimes.last else { return 0 }
        return Double(last - first) / 1e6
    }

    /// How late the sender was with one packet of twenty, compared with the most punctual one.
    var lateness: Double {
        let offsets = sentTimes.enumerated().map { number, time in
            Double(time - sentTimes[0] - Int64(number) * train.intervalNanoseconds) / 1e6
        }
        guard let least = offsets.min(), let late = Statistics.percentile(0.95, of: offsets) else {
            return 0
        }
        return late - least
    }

    /// What was in fact sent, in bits per second.
    var offered: Double? {
        guard sentTimes.count > 1, sendingTime > 0 else { return nil }
        return Double((sentTimes.count - 1) * train.packetBytes * 8) * 1000 / sendingTime
    }

    /// When the packets arrived, in order, in nanoseconds by the receiver's clock.
    var arrivalTimes: [Int64] { seen.firsts.map { seen.arrivals.received[$0] }.sorted() }

    /// What arrived from the first packet to the last, in bits per second.
    var received: Double? {
        let times = arrivalTimes
        guard let first = times.first, let last = times.last, last > first else { return nil }
        return Double((times.count - 1) * train.packetBytes * 8) * 1e9 / Double(last - first)
    }

    /// Moves the clock of the receiver.
    func shifted(by nanoseconds: Int64) -> ObservedTrain {
        var arrivals = seen.arrivals
        arrivals.received = arrivals.received.map { $0 + nanoseconds }
        var train = ObservedTrain(train, sentTimes: sentTimes, arrivals: arrivals)
        train.isTooLarge = isTooLarge
        return train
    }
}

extension ObservedTrain {
    /// The trains of a round, in the order in which it names them.
    static func all(
        of round: ProbeRound, own: ProbeExchange.Report, outcome: ResponderMessage.Outcome,
        numbers: [UInt32], times: [Int64]
    ) -> [ObservedTrain] {
        let (up, down) = (round.trains(.up), round.trains(.down))
        return round.trains.map { train in
            let isUp = train.direction == .up
            let index = (isUp ? up : down).firstIndex(of: train) ?? 0
            var arrivals = ProbeReport.Arrivals()
            // Damage and overflows are of all trains of a direction in a round.
            arrivals.damaged = isUp ? outcome.damaged : own.damaged
            arrivals.overflows = isUp ? outcome.overflows : own.overflows
            let range = train.first..<train.first + UInt32(train.count)
            var sent: [Int64] = []
            if isUp {
                sent = own.sent.indices.contains(index) ? own.sent[index] : []
                for (number, time) in zip(numbers, times) where range.contains(number) {
                    let place = Int(number - train.first)
                    guard place < sent.count else { continue }
                    arrivals.numbers.append(UInt32(place))
                    arrivals.sent.append(sent[place])
                    arrivals.received.append(time)
                }
            } else {
                for place in own.numbers.indices where range.contains(own.numbers[place]) {
                    arrivals.numbers.append(own.numbers[place] - train.first)
                    arrivals.sent.append(own.sentTimes[place])
                    arrivals.received.append(own.arrivalTimes[place])
                }
                let count = min(train.count, max(0, outcome.sent[index]))
                sent = sendingTimes(arrivals, count: count, train)
            }
            var observed = ObservedTrain(train, sentTimes: sent, arrivals: arrivals)
            observed.isTooLarge =
                isUp
                ? own.tooLarge.indices.contains(index) && own.tooLarge[index]
                : outcome.tooLarge[index]
            return observed
        }
    }

    /// When each of `count` packets was sent: known of those that arrived, interpolated of others.
    static func sendingTimes(
        _ arrivals: ProbeReport.Arrivals, count: Int, _ train: ProbeTrain
    ) -> [Int64] {
        let interval = train.intervalNanoseconds
        var known = [Int64?](repeating: nil, count: count)
        for place in arrivals.numbers.indices where arrivals.numbers[place] < count {
            known[Int(arrivals.numbers[place])] = arrivals.sent[place]
        }
        guard let first = known.firstIndex(where: { $0 != nil }), let begin = known[first] else {
            return (0..<count).map { Int64($0) * interval }
        }
        // When the first one was due, if one was sent on time.
        let start = known.indices.compactMap { number in
            known[number].map { $0 - Int64(number) * interval }
        }.min()
        var times = [Int64](repeating: 0, count: count)
        for index in 0..<first {
            times[index] = begin - Int64(first - index) * interval
        }
        var (last, lastTime) = (first, begin)
        times[first] = begin
        for index in first + 1..<max(first + 1, count) {
            guard let time = known[index] else { continue }
            let step = (time - lastTime) / Int64(index - last)
            for between in last + 1..<index {
                // A sender that makes up for a delay sends what is late at once. Between two that
                // arrived, it would seem to send it while the queue is emptier than it was.
                let due = train.catchesUp ? start.map { $0 + Int64(between) * interval } : nil
                times[between] =
                    due.map { max(lastTime, min(time, $0)) }
                    ?? lastTime + step * Int64(between - last)
            }
            times[index] = time
            (last, lastTime) = (index, time)
        }
        for index in last + 1..<max(last + 1, count) {
            times[index] = lastTime + Int64(index - last) * interval
        }
        return times
    }
}
