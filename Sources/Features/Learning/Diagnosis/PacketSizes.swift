import LinkModel
import LinkUnits
import LinuxKernel

/// Finds the largest packet of each direction, and whether senders are told of it.
struct PacketSizes {
    private let connection: ResponderConnection
    private let quiet: Duration
    private var nextNumber: UInt32 = 0

    private static let fullBytes = 1500
    private static let smallBytes = 80
    private static let interval = Duration.milliseconds(20)

    static func find(
        _ connection: ResponderConnection, roundTrip: Duration
    ) throws -> [Direction: NetworkFacts.PacketSize] {
        var sizes = PacketSizes(
            connection: connection, quiet: max(.milliseconds(700), roundTrip * 2))
        return try sizes.run()
    }

    private init(connection: ResponderConnection, quiet: Duration) {
        (self.connection, self.quiet) = (connection, quiet)
    }

    private mutating func run() throws -> [Direction: NetworkFacts.PacketSize] {
        var found: [Direction: NetworkFacts.PacketSize] = [:]
        var open: [Direction] = []
        let seen = try run(
            Direction.allCases.flatMap { direction in
                [
                    train(direction, bytes: Self.smallBytes, start: .zero),
                    train(direction, bytes: Self.fullBytes, start: Self.interval * 8),
                ]
            })
        for direction in Direction.allCases {
            let arrived = { (bytes: Int) in
                seen.contains {
                    $0.train.direction == direction && $0.train.packetBytes == bytes
                        && $0.arrived > 0
                }
            }
            if arrived(Self.fullBytes) {
                found[direction] = .init(bytes: Self.fullBytes, isFull: true, isTold: false)
            } else if arrived(Self.smallBytes) {
                open.append(direction)
            }
        }
        var search = PacketSizeSearch(open, passing: Self.smallBytes, failing: Self.fullBytes)
        for _ in 0..<PacketSizeSearch.mostRounds where !search.isDone {
            search.take(try run(search.trains(&nextNumber) { _, _ in .milliseconds(8) }))
        }
        for (direction, search) in search.searches {
            let told = direction == .up ? connection.pathMTU : connection.othersPathMTU
            found[direction] = .init(
                bytes: search.passing, isFull: false,
                isTold: told.map { $0 < Self.fullBytes && $0 <= search.failing } ?? false)
        }
        return found
    }

    private mutating func train(
        _ direction: Direction, bytes: Int, start: Duration
    ) -> ProbeTrain {
        defer { nextNumber += 6 }
        return ProbeTrain(
            direction: direction, first: nextNumber, count: 6, packetBytes: bytes,
            intervalNanoseconds: Int64(clamping: Self.interval.wholeNanoseconds),
            startNanoseconds: Int64(clamping: start.wholeNanoseconds), catchesUp: false)
    }

    private func run(_ trains: [ProbeTrain]) throws -> [ObservedTrain] {
        try connection.run(
            ProbeRound(
                trains: trains, quietNanoseconds: Int64(clamping: quiet.wholeNanoseconds)))
    }
}
