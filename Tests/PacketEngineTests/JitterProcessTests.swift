import LinkModel
import LinkTesting
import LinkUnits
import Testing

@testable import PacketEngine

@Suite("Jitter process", .tags(.unit))
struct JitterProcessTests {
    private static let amount = Duration.microseconds(200)

    /// How far packets at this rate are from their delay, in amounts, and whether none overtook.
    private static func variations(
        _ distribution: Jitter.Distribution, packetsPerSecond: Int, count: Int,
        conditions: DirectionConditions = DirectionConditions(delay: .milliseconds(50))
    ) -> (variations: [Double], isOrdered: Bool) {
        var conditions = conditions
        let jitter = conditions.jitter ?? Jitter(amount: amount, distribution: distribution)
        conditions.jitter = jitter
        var link = LinkEmulator(conditions, seed: 4)
        let gap = Duration.seconds(1) / packetsPerSecond
        var variations: [Double] = []
        var last: UInt32?
        var isOrdered = true
        func take(_ events: [PacketEvent]) {
            for event in events {
                if let last, event.slot <= last { isOrdered = false }
                last = event.slot
                let variation = event.time - gap * Int(event.slot) - conditions.delay
                variations.append(variation / jitter.amount)
            }
        }
        for slot in 0..<count {
            link.enqueue(UInt32(slot)..<UInt32(slot) + 1, at: gap * slot)
            take(link.events(until: gap * slot))
        }
        take(link.remainingEvents())
        return (variations, isOrdered)
    }

    /// How far mean and deviation may be off, in amounts: 3.89 deviations of either.
    ///
    /// Delays at distances below the memory of the process are alike, so that two memories have
    /// one independent delay. The memory in amounts (the integral of the autocorrelation) and how
    /// much more a deviation varies than a mean (half the root of the kurtosis - 1) were measured
    /// over 2,000 s, and are rounded up.
    private static func bounds(
        _ distribution: Jitter.Distribution, packetsPerSecond: Int, count: Int
    ) -> (mean: Double, deviation: Double) {
        let (memory, spread) =
            switch distribution {
            case .uniform: (1.5, 0.5)
            case .normal: (3.0, 0.8)
            case .pareto: (7.0, 3.0)
            case .paretonormal: (5.0, 2.5)
            }
        let amounts = Double(count) / Double(packetsPerSecond) / (amount / .seconds(1))
        let independent = min(Double(count), amounts / (2 * memory))
        let bound = 3.89 / independent.squareRoot()
        return (bound, bound * spread)
    }

    @Test(
        arguments: Jitter.Distribution.allCases,
        [(10, 20_000), (1000, 40_000), (20_000, 100_000), (100_000, 300_000)])
    func `mean and spread are what was asked at every rate, and no packet overtakes`(
        distribution: Jitter.Distribution, load: (rate: Int, count: Int)
    ) {
        let (variations, isOrdered) = Self.variations(
            distribution, packetsPerSecond: load.rate, count: load.count)
        #expect(isOrdered && variations.count == load.count)
        let (mean, deviation) = moments(variations)
        let bounds = Self.bounds(distribution, packetsPerSecond: load.rate, count: load.count)
        #expect(abs(mean) < bounds.mean)
        let expected = distribution == .uniform ? 1 / 3.0.squareRoot() : 1
        #expect(abs(deviation - expected) < bounds.deviation)
    }

    @Test(
        arguments: [
            (.uniform, [-0.98, -0.5, 0, 0.5, 0.98]),
            (.normal, [-2.326, -0.6745, 0, 0.6745, 2.326]),
            // Pareto with shape 3 cut at 99.8 %: mean 1.479, deviation 0.663.
            (.pareto, [-0.718, -0.572, -0.332, 0.158, 4.362]),
        ] as [(Jitter.Distribution, [Double])], [(10, 20_000), (5000, 100_000)])
    func `the delays have the quantiles of the distribution at every rate`(
        expected: (distribution: Jitter.Distribution, quantiles: [Double]),
        load: (rate: Int, count: Int)
    ) {
        let sorted = Self.variations(
            expected.distribution, packetsPerSecond: load.rate, count: load.count
        ).variations.sorted()
        let bounds = Self.bounds(
            expected.distribution, packetsPerSecond: load.rate, count: load.count)
        for (share, quantile) in zip([0.01, 0.25, 0.5, 0.75, 0.99], expected.quantiles) {
            let found = sorted[Int(share * Double(load.count))]
            // A quantile varies with the root of s (1 - s) over the density there: in the tail of
            // Pareto nine times as much as the mean, elsewhere at most four times.
            let factor = expected.distribution == .pareto && share > 0.9 ? 9.0 : 4.0
            #expect(abs(found - quantile) < bounds.mean * factor, "\(share)")
        }
    }

    @Test(arguments: Jitter.Distribution.allCases)
    func `packets farther apart than the range have independent delays`(
        distribution: Jitter.Distribution
    ) {
        let count = 20_000
        let variations = Self.variations(distribution, packetsPerSecond: 50, count: count)
            .variations
        let deviation = moments(variations).deviation
        for lag in 1...3 {
            let products = zip(variations, variations.dropFirst(lag)).map { $0 * $1 }
            let correlation = moments(products).mean / (deviation * deviation)
            #expect(abs(correlation) < 3.89 / Double(count).squareRoot(), "lag \(lag)")
        }
    }

    @Test func `the delay is a function of time, whether packets look at it or not`() {
        let jitter = Jitter(amount: .milliseconds(10))
        let stream = RandomStream(seed: 8, for: .jitter)
        var dense = JitterProcess(jitter, random: stream)
        var sparse = JitterProcess(jitter, random: stream)
        for step in 0..<20_000 {
            let now = Duration.microseconds(step * 100)
            let variation = dense.variation(at: now)
            // Every 50 ms, less than the range of 80 ms.
            if step.isMultiple(of: 500) {
                #expect(abs((sparse.variation(at: now) - variation) / .nanoseconds(1)) < 1)
            }
        }
    }

    @Test(arguments: Jitter.Distribution.allCases)
    func `behind a stall packets come at most four times as dense as they went`(
        distribution: Jitter.Distribution
    ) {
        // Without the delay line, which would hold back what overtakes.
        var process = JitterProcess(
            Jitter(amount: .milliseconds(10), distribution: distribution),
            random: RandomStream(seed: 8, for: .jitter))
        var last = process.variation(at: .zero)
        var least = Duration.seconds(1)
        for step in 1..<50_000 {
            let variation = process.variation(at: .microseconds(step * 100))
            least = min(least, .microseconds(100) + variation - last)
            last = variation
        }
        #expect(least > .nanoseconds(24_999) && least < .microseconds(30))
    }

    @Test func `a ramp in many steps has the mean of its moments`() {
        // From 10 ms to 5 ms in 100,000 steps of 1 ms, over 4,000 slides.
        let conditions = DirectionConditions(
            delay: .milliseconds(50), jitter: Jitter(amount: .milliseconds(10)))
        var link = LinkEmulator(conditions, seed: 3)
        var sum = 0.0
        let count = 100_000
        for step in 0..<count {
            let now = Duration.milliseconds(step)
            let amount = Duration.milliseconds(10) - .nanoseconds(step * 50)
            var next = conditions
            next.jitter = Jitter(amount: amount)
            link.change(to: next, at: now)
            link.enqueue(UInt32(step)..<UInt32(step) + 1, at: now)
            for event in link.events(until: now) {
                sum +=
                    (event.time - .milliseconds(Int(event.slot)) - .milliseconds(50))
                    / .milliseconds(10)
            }
        }
        // 100 s have 10,000 amounts or more, and one independent delay in 6.
        #expect(abs(sum / Double(count)) < 3.89 / (10_000.0 / 6).squareRoot())
    }

    @Test(arguments: Jitter.Distribution.allCases)
    func `jitter larger than the delay never takes the total below zero`(
        distribution: Jitter.Distribution
    ) {
        let conditions = DirectionConditions(
            delay: .milliseconds(2),
            jitter: Jitter(amount: .milliseconds(20), distribution: distribution))
        let (variations, isOrdered) = Self.variations(
            distribution, packetsPerSecond: 2000, count: 20_000, conditions: conditions)
        // The delay is a tenth of the amount.
        #expect(isOrdered && abs((variations.min() ?? 0) + 0.1) < 1e-9)
    }

    @Test(arguments: [Duration.nanoseconds(1), Duration(attoseconds: 1), .seconds(600), .eternity])
    func `amounts of any size are taken`(amount: Duration) {
        var process = JitterProcess(
            Jitter(amount: amount), random: RandomStream(seed: 1, for: .jitter))
        var last = Duration.zero
        for step in 0..<1000 {
            let now = Duration.milliseconds(step)
            let arrival = now + process.variation(at: now)
            #expect(step == 0 || arrival - last > .nanoseconds(-1))
            last = arrival
        }
    }
}
