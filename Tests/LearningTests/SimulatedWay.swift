import Glibc
import LinkModel
import LinkTesting
import LinkUnits

@testable import Learning
@testable import Verification

/// A direction of a link with a drop-tail queue, for trains one after the other.
struct SimulatedWay {
    /// In bits per second.
    var bandwidth = 5_000_000.0
    /// What there is of it after so many seconds, as a factor.
    var speed: (Double) -> Double = { _ in 1 }
    /// How much later than it could a receiver sees a packet, in milliseconds on average.
    var lateness = 0.0
    /// In milliseconds.
    var delay = 30.0
    /// How much the receiver's clock is ahead of the sender's, in milliseconds.
    var clockOffset = 0.0
    /// The limit of the queue, of which one packet is being sent.
    var packets = Int.max
    var bytes = Int.max
    /// Whether a packet is lost behind the queue.
    var isLost: (inout SeededGenerator) -> Bool = { _ in false }
    var seed: UInt64 = 1

    /// Runs trains, whose start times are on one clock.
    func run(_ trains: [ProbeTrain]) -> [ObservedTrain] {
        var random = SeededGenerator(seed: seed)
        var waiting: [(leaves: Double, bytes: Int)] = []
        var free = 0.0
        return trains.map { train in
            var arrivals = ProbeReport.Arrivals()
            var sent: [Int64] = []
            for number in 0..<train.count {
                let nanoseconds =
                    1_790_000_000_000_000_000 + train.startNanoseconds
                    + Int64(number) * train.intervalNanoseconds
                let now = Double(train.startNanoseconds + Int64(number) * train.intervalNanoseconds)
                sent.append(nanoseconds)
                waiting.removeFirst(waiting.firstIndex { $0.leaves > now } ?? waiting.count)
                let full =
                    bytes < Int.max
                    && waiting.reduce(0) { $0 + $1.bytes } + train.packetBytes > bytes
                guard waiting.count < packets, !full else { continue }
                free = max(free, now)
                free += Double(train.packetBytes) * 8e9 / (bandwidth * speed(free / 1e9))
                waiting.append((free, train.packetBytes))
                guard !isLost(&random) else { continue }
                arrivals.numbers.append(UInt32(number))
                arrivals.sent.append(nanoseconds)
                let passage = free - now + (delay + clockOffset) * 1e6
                let late = lateness * -log(Double.random(in: 1e-9..<1, using: &random)) * 1e6
                let received = nanoseconds + Int64(passage + late)
                arrivals.received.append(max(received, arrivals.received.last ?? 0))
            }
            return ObservedTrain(train, sentTimes: sent, arrivals: arrivals)
        }
    }

    /// What a measurement sees of it.
    func observations(idle: Int = 200, steady: Int = 8000) -> DirectionObservations {
        var seen = DirectionObservations()
        seen.idle = run([train(bytes: 80, count: idle, rate: 64_000)])
        seen.passingBytes = 1500
        seen.overload = overload
        seen.steady = run([train(bytes: 80, count: steady, rate: bandwidth / 2)]).first
        return seen
    }

    /// Trains of more than it carries.
    var overload: Overload {
        let ramp = train(bytes: 1500, rate: bandwidth * 1.12, seconds: 0.8)
        let fill = train(bytes: 1500, rate: bandwidth * 3, seconds: 1, after: ramp)
        let hold = train(bytes: 1500, rate: bandwidth * 1.25, seconds: 3, after: fill)
        let small = train(bytes: 500, rate: bandwidth * 1.25, seconds: 1.5, after: hold)
        return Overload(run([ramp, fill, hold, small]))
    }

    func learned(idle: Int = 200, steady: Int = 8000) -> LearnedDirection {
        DirectionAnalysis(observations(idle: idle, steady: steady), .down, sharesClock: true)
            .learned
    }

    /// What it loses while nothing waits.
    func idleLosses(count: Int) -> LossBursts {
        LossBursts(run([train(bytes: 80, count: count, rate: 64_000)]))
    }

    /// Loses packets as Gilbert's model does.
    mutating func lose(mean: Double, burst: Double) {
        let state = State()
        isLost = { random in
            let draw = Double.random(in: 0..<1, using: &random)
            guard burst > 1 else { return draw < mean }
            state.isBad = state.isBad ? draw >= 1 / burst : draw < mean / (burst * (1 - mean))
            return state.isBad
        }
    }

    private final class State {
        var isBad = false
    }

    /// What is said of its loss, by small packets below the bandwidth alone.
    func steadyLoss(count: Int) -> LearnedValue? {
        var seen = DirectionObservations()
        seen.steady = run([train(bytes: 80, count: count, rate: bandwidth / 2)]).first
        var learned = LearnedDirection()
        DirectionAnalysis(seen, .down, sharesClock: true).addLoss(&learned)
        return learned["loss"]
    }

    private func train(
        bytes: Int, count: Int? = nil, rate: Double, seconds: Double = 1, after: ProbeTrain? = nil
    ) -> ProbeTrain {
        let interval = Int64(Double(bytes) * 8e9 / rate)
        let start = after.map { $0.startNanoseconds + $0.intervalNanoseconds * Int64($0.count) }
        return ProbeTrain(
            direction: .down, first: 0, count: count ?? Int(seconds * 1e9 / Double(interval)),
            packetBytes: bytes, intervalNanoseconds: interval, startNanoseconds: start ?? 0,
            catchesUp: true)
    }
}

extension LearnedDirection {
    subscript(_ field: String) -> LearnedValue? { values.first { $0.field == field } }
}
