import LinkModel
import LinkUnits
import LinuxKernel
import Verification

/// Measures a link between this host and a responder.
///
/// Theory of operation. Rounds of probes, in each of which both ends send trains and note what
/// arrives: few packets on the idle link (delay); faster and faster trains (order of magnitude of
/// the bandwidth); sizes (MTU); each direction overloaded by itself (bandwidth, queue, or a delivery
/// trace if the bandwidth varies); small packets below the bandwidth in both directions (loss,
/// jitter, reordering, duplicates, damage). Each round is planned with what the ones before it
/// showed. `DirectionAnalysis` makes a profile of all.
public struct ActiveMeasurement {
    /// What to measure.
    public struct Request: Sendable {
        /// The responder.
        public var host: String
        /// Its port.
        public var port: UInt16
        /// About how long it may take; slow links take longer.
        public var time: Duration
        /// The version of this program.
        public var program: String

        /// Asks for a measurement.
        public init(
            host: String, port: UInt16 = Responder.defaultPort, time: Duration, program: String
        ) {
            (self.host, self.port, self.time, self.program) = (host, port, time, program)
        }
    }

    private let request: Request
    private let report: (String) -> Void
    private let connection: ResponderConnection
    private let begin: Duration
    private var nextNumber: UInt32 = 0
    private var roundTrip = Duration.seconds(1)
    private var search: [Direction: CapacitySearch] = [:]
    /// The size of its packets, which arrive.
    private var searchBytes: [Direction: Int] = [:]
    private var observations: [Direction: DirectionObservations] = [:]

    private static let idleBytes = 80
    private static let fullBytes = 1500
    /// What every path with IPv6 takes (RFC 8200, section 5), less some tunnels.
    private static let smallestMTU = 1200
    /// Each overload sends twice as much as the one before. Bursts of losses can make the first
    /// estimate a tenth of the bandwidth.
    private static let mostOverloads = 6

    /// Measures, and calls `report` with what is being done.
    public static func run(
        _ request: Request, report: @escaping (String) -> Void
    ) throws -> LearnedLink {
        KernelThread.makeCallingThreadPunctual(isPreferred: false)
        var measurement = try ActiveMeasurement(request, report)
        return try measurement.run()
    }

    private init(_ request: Request, _ report: @escaping (String) -> Void) throws {
        self.request = request
        self.report = report
        begin = KernelClock.monotonic
        connection = try ResponderConnection.open(
            to: request.host, port: request.port, program: request.program)
        for direction in Direction.allCases {
            search[direction] = CapacitySearch(limit: Double(connection.limits.bitsPerSecond))
            observations[direction] = DirectionObservations()
            observations[direction]?.isIPv6 = connection.isIPv6
        }
    }

    private mutating func run() throws -> LearnedLink {
        report("connected to \(connection.endpoint), linkcond \(connection.program)")
        try scout()
        report("round trip of \(milliseconds(roundTrip))")
        try findCapacities()
        try idle()
        try findMTUs()
        for direction in [Direction.down, .up] { try saturate(direction) }
        try observeLosses()
        return learned
    }

    // MARK: Rounds

    private mutating func train(
        _ direction: Direction, bytes: Int, count: Int, interval: Duration,
        start: Duration = .zero, catchesUp: Bool = false
    ) -> ProbeTrain {
        defer { nextNumber += UInt32(count) }
        return ProbeTrain(
            direction: direction, first: nextNumber, count: count, packetBytes: bytes,
            intervalNanoseconds: Int64(clamping: interval.wholeNanoseconds),
            startNanoseconds: Int64(clamping: start.wholeNanoseconds), catchesUp: catchesUp)
    }

    private func run(_ trains: [ProbeTrain], quiet: Duration? = nil) throws -> [ObservedTrain] {
        let quiet = quiet ?? max(.milliseconds(300), roundTrip * 1.5)
        return try connection.run(
            ProbeRound(
                trains: trains, quietNanoseconds: Int64(clamping: quiet.wholeNanoseconds)))
    }

    private var left: Duration { request.time - (KernelClock.monotonic - begin) }

    private func milliseconds(_ duration: Duration) -> String {
        "\(Rounding.text(duration.milliseconds, digits: 3)) ms"
    }

    /// What a packet of this size takes at the estimated bandwidth.
    private func serialization(_ bytes: Int, _ direction: Direction) -> Duration {
        guard let rate = search[direction]?.estimate, search[direction]?.isUnlimited == false else {
            return .zero
        }
        return .seconds(Double(bytes * 8) / max(rate, 1))
    }

    private mutating func scout() throws {
        for attempt in 1...2 {
            let trains = Direction.allCases.flatMap { direction in
                let small = train(
                    direction, bytes: Self.idleBytes, count: 6 * attempt,
                    interval: .milliseconds(60))
                let large = train(
                    direction, bytes: Self.smallestMTU, count: 3 * attempt,
                    interval: .milliseconds(60), start: small.end)
                return [small, large]
            }
            let seen = try run(trains, quiet: .seconds(3))
            let small = seen.filter { $0.train.packetBytes == Self.idleBytes }
            guard small.allSatisfy({ $0.arrived > 0 }) else { continue }
            let shortest = small.compactMap { $0.delays.min() }.reduce(0, +)
            roundTrip = .seconds(max(0, shortest) / 1000)
            let fitting = seen.filter { $0.arrived > 0 && $0.train.packetBytes == Self.smallestMTU }
            return try scoutSizes(
                Direction.allCases.filter { direction in
                    !fitting.contains { $0.train.direction == direction }
                })
        }
        throw LearningError(
            "\(request.host): hardly any UDP packet gets through; nothing can be measured",
            status: .failed)
    }

    /// Finds packets for the search for the bandwidth where those that nearly every path takes do not arrive.
    private mutating func scoutSizes(_ directions: [Direction]) throws {
        guard !directions.isEmpty else { return }
        var search = PacketSizeSearch(
            directions, passing: Self.idleBytes, failing: Self.smallestMTU)
        var number = nextNumber
        let trains = search.trains(&number) { _, _ in .milliseconds(20) }
        nextNumber = number
        search.take(try run(trains, quiet: .seconds(3)))
        // Where none arrived, it is for losses.
        searchBytes = search.searches.compactMapValues {
            $0.passing > Self.idleBytes ? $0.passing : nil
        }
    }

    private mutating func findCapacities() throws {
        report("looking for the bandwidths")
        for _ in 0..<14 {
            var trains: [ProbeTrain] = []
            for direction in Direction.allCases {
                guard let search = search[direction], !search.isDone else { continue }
                let (count, bytes, interval) = search.next(
                    full: searchBytes[direction] ?? Self.smallestMTU)
                trains.append(
                    train(
                        direction, bytes: bytes, count: count, interval: interval,
                        catchesUp: true))
            }
            guard !trains.isEmpty else { return }
            for seen in try run(trains) { search[seen.train.direction]?.take(seen) }
        }
    }

    private mutating func idle() throws {
        let time = max(.seconds(1), request.time * 0.1)
        report("idle for \(milliseconds(time))")
        var trains: [ProbeTrain] = []
        for direction in Direction.allCases {
            let interval = max(.milliseconds(4), serialization(Self.idleBytes, direction) * 4)
            let count = min(1000, max(20, Int(time / interval)))
            let probes = train(
                direction, bytes: Self.idleBytes, count: count, interval: interval)
            let pause = max(.milliseconds(20), serialization(Self.fullBytes, direction) * 1.2)
            trains.append(probes)
            trains.append(
                train(
                    direction, bytes: Self.fullBytes, count: pause > .milliseconds(400) ? 3 : 6,
                    interval: pause, start: probes.end + pause))
        }
        for seen in try run(trains) {
            let direction = seen.train.direction
            if seen.train.packetBytes == Self.idleBytes {
                observations[direction]?.idle.append(seen)
            } else if seen.arrived > 0 {
                observations[direction]?.passingBytes = Self.fullBytes
            }
        }
    }

    private mutating func findMTUs() throws {
        let directions = Direction.allCases.filter { observations[$0]?.passingBytes == nil }
        guard !directions.isEmpty else { return }
        var search = PacketSizeSearch(
            directions, passing: Self.idleBytes, failing: Self.fullBytes)
        report("looking for the largest packet")
        for _ in 0..<PacketSizeSearch.mostRounds where !search.isDone {
            var number = nextNumber
            let trains = search.trains(&number) { size, direction in
                max(.milliseconds(2), serialization(size, direction) * 1.1)
            }
            nextNumber = number
            search.take(try run(trains))
        }
        for (direction, search) in search.searches {
            observations[direction]?.passingBytes = search.passing
            observations[direction]?.mtu = search.passing
        }
        observations[.up]?.toldMTU = connection.pathMTU
    }

    private mutating func saturate(_ direction: Direction) throws {
        guard var estimate = search[direction]?.estimate else { return }
        if search[direction]?.isUnlimited == true {
            observations[direction]?.passed = estimate
            return
        }
        report("\(direction): overloaded, about \(Rounding.rate(estimate))")
        let limit = Double(connection.limits.bitsPerSecond)
        let idle = LossBursts(observations[direction]?.idle ?? [])
        let jitter = observations[direction]?.idleSpread ?? 0
        for attempt in 1...Self.mostOverloads {
            let seen = try run(overload(direction, estimate, limit))
            let overload = Overload(seen)
            observations[direction]?.overload = overload
            if let peak = overload.unsaturatedRate(limit: limit, jitter: jitter, idle: idle),
                attempt < Self.mostOverloads
            {
                // The search came at a bad moment, or losses slowed it down.
                estimate = min(limit, peak * 1.7)
                continue
            }
            break
        }
        guard let overload = observations[direction]?.overload,
            overload.isVarying(jitter: jitter, idle: idle)
        else { return }
        let time = min(.seconds(50), max(.seconds(6), request.time * 0.4))
        report("\(direction): the bandwidth varies; recording it for \(milliseconds(time))")
        let rate = min(limit, overload.peakRate * 1.6)
        let interval = Duration.seconds(Double(Self.fullBytes * 8) / rate)
        let seen = try run(
            [
                train(
                    direction, bytes: observations[direction]?.passingBytes ?? Self.fullBytes,
                    count: Int(time / interval), interval: interval, catchesUp: true)
            ], quiet: max(.seconds(3), roundTrip * 2))
        observations[direction]?.varying = seen.first
    }

    private mutating func overload(
        _ direction: Direction, _ estimate: Double, _ limit: Double
    ) -> [ProbeTrain] {
        let full = observations[direction]?.passingBytes ?? Self.fullBytes
        let time = max(.seconds(2), min(.seconds(8), request.time * 0.12))
        // Enough packets for their number to say something, even on a slow link.
        let perHold = estimate * (time / .seconds(1)) / 8
        let bytes = min(full, max(100, Int(perHold / 240)))
        let interval = { (rate: Double, bytes: Int) in
            Duration.seconds(Double(bytes * 8) / min(limit, rate))
        }
        let isFast = estimate > 60_000_000
        let fillInterval = interval(estimate * (isFast ? 1.6 : 3), bytes)
        let fillTime = isFast ? Duration.milliseconds(600) : .seconds(1)
        let rampInterval = interval(estimate * 1.12, bytes)
        let ramp = train(
            direction, bytes: bytes, count: max(20, Int(.milliseconds(800) / rampInterval)),
            interval: rampInterval, catchesUp: true)
        let fill = train(
            // On a slow link a queue of more than a hundred packets has to fill, too.
            direction, bytes: bytes, count: max(240, Int(fillTime / fillInterval)),
            interval: fillInterval, start: ramp.end, catchesUp: true)
        let holdInterval = interval(estimate * 1.25, bytes)
        let hold = train(
            direction, bytes: bytes, count: max(60, Int(time / holdInterval)),
            interval: holdInterval, start: fill.end, catchesUp: true)
        // Smaller packets tell a limit in packets from one in bytes.
        let small = max(Self.idleBytes, bytes / 3)
        let smallInterval = interval(estimate * 1.25, small)
        guard small * 2 < bytes, smallInterval > .microseconds(25) else {
            return [ramp, fill, hold]
        }
        let last = train(
            direction, bytes: small, count: Int(max(.seconds(1), time * 0.5) / smallInterval),
            interval: smallInterval, start: hold.end, catchesUp: true)
        return [ramp, fill, hold, last]
    }

    private mutating func observeLosses() throws {
        let quiet = max(.milliseconds(300), roundTrip * 1.5)
        let time = min(.seconds(50), max(.seconds(3), left - quiet - roundTrip))
        report("below the bandwidth for \(milliseconds(time))")
        var trains: [ProbeTrain] = []
        for direction in Direction.allCases {
            let isVarying = observations[direction]?.varying != nil
            let interval =
                isVarying
                ? Duration.milliseconds(20)
                : max(.microseconds(400), serialization(Self.idleBytes, direction) * 2)
            trains.append(
                train(
                    direction, bytes: Self.idleBytes, count: max(20, Int(time / interval)),
                    interval: interval))
        }
        for seen in try run(trains) { observations[seen.train.direction]?.steady = seen }
    }

    // MARK: Result

    private var learned: LearnedLink {
        let found = DirectionObservations.learned(
            observations, sharesClock: connection.sharesClock)
        let seconds = (KernelClock.monotonic - begin) / .seconds(1)
        return LearnedLink(
            up: found[.up] ?? .init(), down: found[.down] ?? .init(),
            source: "\(request.host) (\(connection.endpoint.address))",
            method: .active,
            notes: [
                "Measured in \(Int(seconds.rounded())) s with linkcond learn against "
                    + "\(request.host) (\(connection.endpoint)).",
                connection.sharesClock
                    ? "Both ends have one clock, so the delay of each direction is exact."
                    : "The ends have different clocks, so each direction gets half of the shortest "
                        + "round trip; only their sum is measured.",
            ])
    }
}
