import LinkModel
import LinkTesting
import LinkUnits
import PacketEngine
import Recording
import Testing

@Suite("Made-up delivery traces", .tags(.unit))
struct TraceModelTests {
    private static let mean = Bandwidth.megabitsPerSecond(12)

    private static func trace(
        _ model: TraceModel, seed: UInt64 = 1, mean: Bandwidth = mean,
        for duration: Duration = .seconds(60)
    ) throws -> DeliveryTrace {
        try #require(model.trace(mean: mean, for: duration, seed: seed))
    }

    @Test(arguments: TraceModel.allCases)
    func `a seed gives the same trace, another one another`(model: TraceModel) throws {
        let trace = try Self.trace(model, seed: 7)
        #expect(try Self.trace(model, seed: 7) == trace)
        #expect((try Self.trace(model, seed: 8) == trace) == (model == .constant))
    }

    @Test(arguments: TraceModel.allCases)
    func `it is as long and carries as much as was asked for`(model: TraceModel) throws {
        for seed in 1...5 {
            for (mean, duration) in [
                (Self.mean, Duration.seconds(20)), (.kilobitsPerSecond(120), .seconds(300)),
                (.megabitsPerSecond(900), .milliseconds(1500)),
            ] {
                let trace = try Self.trace(
                    model, seed: UInt64(seed), mean: mean, for: duration)
                #expect(trace.period == duration)
                let count = Double(mean.bitsPerSecond) * (duration / .seconds(1)) / 12_000
                // Of a Poisson process, within five standard deviations.
                let bound = model == .constant ? 1 : 5 * count.squareRoot() + 1
                #expect(abs(Double(trace.opportunityCount) - count) <= bound)
            }
        }
    }

    @Test func `a constant one has equal distances`() throws {
        let trace = try Self.trace(
            .constant, mean: .kilobitsPerSecond(1200), for: .seconds(1))
        #expect(trace.text == (1...100).map { "\($0 * 10)\n" }.joined())
    }

    @Test func `a cellular one wanders, and has outages`() throws {
        var (silent, windows) = (0.0, 0.0)
        var pauses: [Double] = []
        for seed in 1...60 {
            let mean = Bandwidth.megabitsPerSecond(3)
            let trace = try Self.trace(.cellular, seed: UInt64(seed), mean: mean)
            let statistics = TraceStatistics(trace)
            silent += Double(statistics.rates.count { $0 == 0 })
            windows += Double(statistics.rates.count)
            pauses.append(statistics.longestGap / .seconds(1))
            // From second to second about 0.4 of the mean, and much more over the whole.
            let spread = Double(statistics.rate(percentile: 90) - statistics.rate(percentile: 10))
            #expect(spread > 0.4 * Double(mean.bitsPerSecond))
        }
        // The model's 8 per cent, less the parts of windows at both ends of an outage.
        #expect((0.03...0.12).contains(silent / windows), "\(silent / windows)")
        pauses.sort()
        #expect((0.7...3).contains(pauses[30]), "\(pauses[30])")
    }

    @Test func `a satellite one pauses every 15 seconds`() throws {
        for seed in 1...5 {
            let trace = try Self.trace(
                .satellite, seed: UInt64(seed), mean: Self.mean, for: .seconds(150))
            let moments = trace.text.split(separator: "\n").compactMap { Int($0) }
            let ends = zip(moments, moments.dropFirst()).filter { $1 - $0 >= 35 }.map(\.1)
            #expect((9...11).contains(ends.count), "\(ends)")
            for (first, second) in zip(ends, ends.dropFirst()) {
                #expect((14_850...15_150).contains(second - first))
            }
        }
    }

    @Test func `one that would be huge or empty is refused`() {
        #expect(
            TraceModel.cellular.trace(
                mean: .megabitsPerSecond(1_000_000), for: .seconds(60), seed: 1) == nil)
        #expect(
            TraceModel.constant.trace(
                mean: .bitsPerSecond(1), for: .seconds(60), seed: 1) == nil)
    }

    @Test func `a saturated link delivers it in each 100 ms, and begins again`() throws {
        let trace = try Self.trace(.cellular, seed: 7)
        var link = LinkEmulator(
            DirectionConditions(queue: .packets(300), trace: "cellular"), trace: trace, seed: 1)
        let windows = 700
        var delivered = [UInt64](repeating: 0, count: windows)
        var slot: UInt32 = 0
        for millisecond in 0...windows * 100 {
            let now = Duration.milliseconds(millisecond)
            while let event = link.nextVerdict(at: now) {
                guard event.verdict == .delivered else { continue }
                // What comes at the very end of a window belongs to it.
                delivered[Int((event.time - .microseconds(1)) / .milliseconds(100))] += 1500
            }
            // More than the trace ever lets through for long; the queue has enough for a moment.
            for _ in 0..<3 {
                slot += 1
                link.enqueue(Packet(slot: slot, length: ByteCount(bytes: 1500)), at: now)
            }
        }
        var wanted = [UInt64](repeating: 0, count: windows)
        for moment in trace.text.split(separator: "\n").compactMap({ Int($0) }) {
            for round in 0..<2 {
                let window = (moment - 1 + 60_000 * round) / 100
                if window < windows { wanted[window] += 1500 }
            }
        }
        #expect(delivered == wanted)
    }
}
