import LinkModel
import LinkUnits

/// Finds the largest packet that passes, in several directions at once.
struct PacketSizeSearch {
    private(set) var searches: [Direction: MTUSearch]

    /// Each round tries so many sizes that more are never needed.
    static let mostRounds = 4

    init(_ directions: [Direction], passing: Int, failing: Int) {
        searches = Dictionary(
            uniqueKeysWithValues: directions.map {
                ($0, MTUSearch(passing: passing, failing: failing))
            })
    }

    var isDone: Bool { searches.values.allSatisfy(\.isDone) }

    /// The trains of the next round.
    ///
    /// - Parameters:
    ///   - nextNumber: the number of the first packet; afterwards that of the next one.
    ///   - interval: from one packet of a size to the next.
    func trains(
        _ nextNumber: inout UInt32, interval: (Int, Direction) -> Duration
    ) -> [ProbeTrain] {
        var trains: [ProbeTrain] = []
        for direction in Direction.allCases {
            guard let search = searches[direction], !search.isDone else { continue }
            var start = Duration.zero
            for size in search.next {
                let interval = interval(size, direction)
                let train = ProbeTrain(
                    direction: direction, first: nextNumber, count: MTUSearch.copies,
                    packetBytes: size,
                    intervalNanoseconds: Int64(clamping: interval.wholeNanoseconds),
                    startNanoseconds: Int64(clamping: start.wholeNanoseconds), catchesUp: false)
                nextNumber += UInt32(train.count)
                start = train.end
                trains.append(train)
            }
        }
        return trains
    }

    mutating func take(_ seen: [ObservedTrain]) {
        var arrived: [Direction: [Int: Bool]] = [:]
        for seen in seen {
            arrived[seen.train.direction, default: [:]][seen.train.packetBytes] = seen.arrived > 0
        }
        for (direction, sizes) in arrived { searches[direction]?.take(sizes) }
    }
}
