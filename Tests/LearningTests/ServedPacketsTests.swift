import Foundation
import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import Learning
@testable import Verification

@Suite("What an overloaded bottleneck served", .tags(.unit))
struct ServedPacketsTests {
    /// Of a link of 10 Mbit/s that loses a tenth of all packets in bursts of five, recorded with a
    /// packet engine: the windows of its arrivals differ by 13%, and the idle link lost 4.5%.
    @Test
    func `recorded bursts of losses are no varying bandwidth`() throws {
        let trains = try Self.recorded()
        let idle = LossBursts([trains[0]])
        let overload = Overload([trains[1]])
        #expect(!overload.isVarying(jitter: 0.03, idle: idle))
        let served = ServedPackets(trains[1], idle: idle, jitter: 0.03)
        #expect(served.verdict == .counted)
        #expect(abs(served.lost - 0.134) < 0.001)
        let rate = try #require(
            RateEstimate(overload, loss: 0.0977, jitter: 0.03, idle: idle))
        #expect(abs(rate.value / 10e6 - 1) < 0.001)
        // By the share of losses at another time it is wrong by 5%.
        let nothing = LossBursts([])
        let guess = try #require(
            RateEstimate(overload, loss: 0.0977, jitter: 0.03, idle: nothing))
        #expect(abs(guess.value / 10e6 - 1) > 0.03)
    }

    @Test(arguments: [(0, 1), (0.02, 1), (0.1, 1), (0.1, 5), (0.05, 15), (0.2, 5)])
    func `a fixed bandwidth is told as one, whatever is lost behind it`(
        mean: Double, burst: Double
    ) throws {
        var (varying, wrong) = (0, 0)
        for seed in 1...Self.seeds {
            let way = Self.way(seed, mean: mean, burst: burst)
            let idle = way.idleLosses(count: 750)
            let overload = way.overload
            if overload.isVarying(jitter: 0.1, idle: idle) { varying += 1 }
            let rate = try #require(
                RateEstimate(overload, loss: mean, jitter: 0.1, idle: idle))
            if abs(rate.value / way.bandwidth - 1) > 0.01 { wrong += 1 }
        }
        #expect(varying == 0)
        #expect(wrong <= Self.seeds / 50, "\(wrong)")
    }

    /// Two levels, of which the lower one is rarer; pauses; waves.
    @Test(arguments: Change.allCases, [(0, 1), (0.02, 1), (0.1, 5), (0.2, 5)])
    func `a bandwidth that varies is found, whatever is lost behind it`(
        change: Change, losses: (mean: Double, burst: Double)
    ) {
        let missed = (1...Self.seeds).count { seed in
            var way = Self.way(seed, mean: losses.mean, burst: losses.burst)
            way.speed = change.speed(seed)
            return !way.overload.isVarying(jitter: 0.1, idle: way.idleLosses(count: 750))
        }
        #expect(missed <= Self.seeds / 20, "\(missed)")
    }

    enum Change: CaseIterable {
        case levels, pauses, waves

        func speed(_ seed: Int) -> (Double) -> Double {
            let shift = Double(seed) * 0.137
            return { time in
                let phase = (time + shift).truncatingRemainder(dividingBy: 1)
                return switch self {
                case .levels: phase < 0.6 ? 1 : 0.5
                case .pauses: phase < 0.8 ? 1 : 0.02
                case .waves: 1 + 0.35 * sin(2 * .pi * phase)
                }
            }
        }
    }

    @Test
    func `packets that a sender makes up for are sent at once, also those that were lost`() {
        // Of one packet per millisecond, the sender was held up before the third for 6 ms. It then
        // sent five at once, of which three were lost, and waited for the time of the next.
        let train = ProbeTrain(
            direction: .down, first: 0, count: 12, packetBytes: 1500,
            intervalNanoseconds: 1_000_000, startNanoseconds: 0, catchesUp: true)
        var arrivals = ProbeReport.Arrivals()
        arrivals.numbers = [0, 1, 2, 3, 11]
        arrivals.sent = [0, 1, 8, 8, 11].map { $0 * 1_000_000 }
        arrivals.received = arrivals.sent.map { $0 + 5_000_000 }
        let times = ObservedTrain.sendingTimes(arrivals, count: 12, train)
        #expect(times.map { $0 / 1_000_000 } == [0, 1, 8, 8, 8, 8, 8, 8, 8, 9, 10, 11])
        let observed = ObservedTrain(train, sentTimes: times, arrivals: arrivals)
        #expect(observed.lateness > 4)
    }

    private static let seeds = 30

    private static func way(_ seed: Int, mean: Double, burst: Double) -> SimulatedWay {
        var way = SimulatedWay(packets: 60)
        way.seed = UInt64(seed)
        way.lateness = 0.1
        way.lose(mean: mean, burst: burst)
        return way
    }

    /// The trains of Fixtures/bursts.txt: each with the number of its packets, their bytes and
    /// nanoseconds from one to the next; then, of each that arrived, how many numbers and
    /// microseconds it came after the one before.
    private static func recorded() throws -> [ObservedTrain] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/bursts.txt")
        var trains: [(train: ProbeTrain, arrivals: ProbeReport.Arrivals)] = []
        var (number, time) = (-1, 0)
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words[0].contains(":") else {
                let numbers = try words.dropFirst().map { try #require(Int($0)) }
                let train = ProbeTrain(
                    direction: .down, first: 0, count: numbers[0], packetBytes: numbers[1],
                    intervalNanoseconds: Int64(numbers[2]), startNanoseconds: 0, catchesUp: true)
                trains.append((train, .init()))
                (number, time) = (-1, 0)
                continue
            }
            for word in words {
                let steps = try word.split(separator: ":").map { try #require(Int($0)) }
                (number, time) = (number + steps[0], time + steps[1])
                let last = trains.count - 1
                trains[last].arrivals.numbers.append(UInt32(number))
                trains[last].arrivals.sent.append(
                    Int64(number) * trains[last].train.intervalNanoseconds)
                trains[last].arrivals.received.append(Int64(time) * 1000)
            }
        }
        return trains.map { train, arrivals in
            ObservedTrain(
                train, sentTimes: (0..<train.count).map { Int64($0) * train.intervalNanoseconds },
                arrivals: arrivals)
        }
    }
}
