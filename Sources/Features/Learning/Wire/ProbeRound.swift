package import LinkModel
import LinkUnits

/// Packets of one size that are sent one way at even intervals.
package struct ProbeTrain: Sendable, Hashable, Codable {
    package var direction: Direction
    /// The number of its first packet; the others follow.
    package var first: UInt32
    package var count: Int
    /// The bytes of a packet with its IP header.
    package var packetBytes: Int
    /// From one packet to the next.
    package var intervalNanoseconds: Int64
    /// When it begins, from the beginning of the round.
    package var startNanoseconds: Int64
    /// Whether a sender that was held up makes up for it: the link has to stay overloaded.
    package var catchesUp: Bool

    var interval: Duration { .nanoseconds(intervalNanoseconds) }
    var start: Duration { .nanoseconds(startNanoseconds) }
    var duration: Duration { interval * count }
    var end: Duration { start + duration }
    /// What is sent, in bits per second.
    var bitsPerSecond: Double {
        Double(packetBytes) * 8e9 / Double(max(1, intervalNanoseconds))
    }
}

/// Trains in both directions, and when each end stops to listen.
package struct ProbeRound: Sendable, Hashable, Codable {
    package var trains: [ProbeTrain]
    /// Each end listens until nothing has come for so long after the last packet was sent.
    package var quietNanoseconds: Int64

    var quiet: Duration { .nanoseconds(quietNanoseconds) }

    /// When the last packet of a direction is sent; nil if none is.
    func end(of direction: Direction) -> Duration? {
        trains.filter { $0.direction == direction }.map(\.end).max()
    }

    func trains(_ direction: Direction) -> [ProbeTrain] {
        trains.filter { $0.direction == direction }.sorted { $0.start < $1.start }
    }

    /// The number behind the last packet's.
    var endNumber: UInt32 {
        trains.map { $0.first &+ UInt32(clamping: $0.count) }.max() ?? 0
    }
}

/// What a responder does for strangers at most.
package struct ProbeLimits: Sendable, Hashable, Codable {
    /// What it sends in bits per second.
    package var bitsPerSecond: UInt64 = 1_000_000_000
    /// How many packets a round has in both directions; each takes 20 bytes of memory.
    package var packets = 2_000_000
    /// How long a round lasts.
    package var roundSeconds = 60
    /// How long a session lasts.
    package var sessionSeconds = 900

    /// The sizes of packets with room for a probe over IPv6.
    static let packetBytes = 72...9000
    private static let mostTrains = 32

    package init() {}

    /// Why a round cannot be run; nil if it can.
    package func problem(_ round: ProbeRound) -> String? {
        guard (1...Self.mostTrains).contains(round.trains.count) else {
            return "a round has 1 to \(Self.mostTrains) trains"
        }
        var total = 0
        var taken: [Range<Int64>] = []
        let longest = Int64(roundSeconds) * 1_000_000_000
        guard (0...longest).contains(round.quietNanoseconds) else {
            return "a round is quiet for \(roundSeconds) s at most"
        }
        for train in round.trains {
            guard (1...packets).contains(train.count),
                Self.packetBytes.contains(train.packetBytes),
                (1000...longest).contains(train.intervalNanoseconds),
                (0...longest).contains(train.startNanoseconds)
            else { return "a train is outside of its limits" }
            total += train.count
            guard total <= packets else { return "a round has \(packets) packets at most" }
            let (time, isLong) = train.intervalNanoseconds.multipliedReportingOverflow(
                by: Int64(train.count))
            guard !isLong, time <= longest - train.startNanoseconds else {
                return "a round lasts \(roundSeconds) s at most"
            }
            guard train.bitsPerSecond <= Double(bitsPerSecond) * 1.001 else {
                return "a train has \(bitsPerSecond) bit/s at most"
            }
            let numbers = Int64(train.first)..<Int64(train.first) + Int64(train.count)
            guard numbers.upperBound <= Int64(packets), !taken.contains(where: numbers.overlaps)
            else { return "the numbers of packets overlap or are too large" }
            taken.append(numbers)
        }
        return nil
    }
}
