import Verification

/// How many packets waited in the queue when others found it full.
///
/// A packet is in the queue from its sending until it leaves the bottleneck, which is its arrival
/// less the delay of the way. So it is known, without the bandwidth, how many were waiting when a
/// packet was sent that was lost.
package struct QueueOccupancy: Sendable {
    /// The packets before each lost one, of which one is being sent.
    private(set) var packets: [Double] = []
    /// The same in bytes.
    private(set) var bytes: [Double] = []
    /// The most packets that waited at any time until the end of the judged train.
    private(set) var most = 0.0
    /// The packets before each one until then, and whether it was lost.
    private(set) var all: [(packets: Double, isLost: Bool)] = []

    /// - Parameters:
    ///   - trains: In the order of sending; they follow each other.
    ///   - judged: The index of the train whose losses count.
    ///   - delay: Of the way without the bottleneck, in milliseconds.
    ///   - loss: The share of packets lost behind the queue.
    package init(_ trains: [ObservedTrain], judged: Int, delay: Double, loss: Double) {
        struct Departure {
            var time: Int64
            var bytes: Double
        }
        var departures: [Departure] = []
        var sendings: [(time: Int64, bytes: Double, isLost: Bool, isJudged: Bool, isEarly: Bool)] =
            []
        for (index, train) in trains.enumerated() {
            let size = Double(train.train.packetBytes)
            let isLost = train.seen.isLost
            for place in train.seen.firsts {
                departures.append(
                    .init(
                        time: train.seen.arrivals.received[place] - Int64(delay * 1e6),
                        bytes: size))
            }
            // The first third of a train finds what the one before it left.
            let begin = train.sentTimes.count / 3
            for (number, time) in train.sentTimes.enumerated() {
                sendings.append(
                    (
                        time, size, isLost[number], index == judged && number >= begin,
                        index <= judged
                    ))
            }
        }
        departures.sort { $0.time < $1.time }
        sendings.sort { $0.time < $1.time }
        let passing = max(0.01, 1 - loss)
        var (next, count, size) = (0, 0.0, 0.0)
        for sending in sendings {
            while next < departures.count, departures[next].time <= sending.time {
                count -= 1
                size -= departures[next].bytes
                next += 1
            }
            if sending.isEarly {
                most = max(most, count / passing)
                all.append((max(0, count) / passing, sending.isLost))
            }
            if sending.isLost {
                guard sending.isJudged else { continue }
                packets.append(max(0, count) / passing)
                bytes.append(max(0, size) / passing)
            } else {
                count += 1
                size += sending.bytes
            }
        }
    }

    /// How many packets were sent, and how many of these lost, while less than half of a full
    /// queue waited.
    func early(full: Double) -> (sent: Int, lost: Int) {
        let early = all.filter { $0.packets < full / 2 }
        return (early.count, early.count { $0.isLost })
    }

    var median: Double? { Statistics.median(packets) }
    var medianBytes: Double? { Statistics.median(bytes) }

    /// How much of the occupancy the middle eight tenths differ by, as a share of it.
    var spread: Double? {
        guard let median, median > 0, let low = Statistics.percentile(0.1, of: packets),
            let high = Statistics.percentile(0.9, of: packets)
        else { return nil }
        return (high - low) / median
    }
}
