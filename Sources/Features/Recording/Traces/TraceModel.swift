import Glibc
public import LinkModel
public import LinkUnits

/// A kind of link for which delivery traces are made up.
///
/// Theory of operation. The rate of the link is a random process in steps of 20 ms, and packets
/// pass as a Poisson process at that rate (for `constant`, at equal distances). The process is then
/// scaled, so that the trace has the mean that was asked for. The same seed gives the same trace.
public enum TraceModel: String, Sendable, CaseIterable {
    /// A phone on the move. The rate is a Brownian motion that stops at zero for an outage, as in
    /// Sprout's model of cellular links (Winstein, Sivaraman, Balakrishnan: Stochastic Forecasts
    /// Achieve High Throughput and Low Delay over Cellular Networks, NSDI 2013, section 3.1), with
    /// its parameters: rates up to twice the mean, a standard deviation of 0.4 of the mean after a
    /// second (200 of 500 packets/s), outages of one second on average.
    ///
    /// One thing is different: an outage ends at half of the mean rate. From zero, as in a model
    /// made for forecasts, the next outage would follow at once, and a third of the time would be
    /// outage. Here it is 8 per cent on average; in mahimahi's recordings of AT&T's network pauses
    /// of more than half a second take 4 to 12.
    case cellular
    /// Starlink. A terminal is given another satellite every 15 seconds (Mohan et al.: A
    /// Multifaceted Look at Starlink Performance, WWW 2024). By how much the rate changes then, by
    /// half of the mean at most, and that nothing passes for 50 to 150 ms, is our choice.
    case satellite
    /// The same rate all the time.
    case constant

    /// The longest trace in opportunities; its file has about 35 MB.
    public static let mostOpportunities = 5_000_000
    /// The longest trace in time.
    public static let longest = Duration.seconds(86_400)

    private static let tick = 20

    /// Makes a trace up.
    ///
    /// - Parameters:
    ///   - mean: what passes on average if there is always something to send.
    ///   - duration: its length, from a second to a day; whole milliseconds.
    ///   - seed: decides what happens.
    /// - Returns: nil if it would have too many opportunities, or none.
    public func trace(
        mean: Bandwidth, for duration: Duration, seed: UInt64
    ) -> DeliveryTrace? {
        guard duration <= Self.longest else { return nil }
        let length = Int(duration / .milliseconds(1))
        let perMillisecond =
            Double(mean.bitsPerSecond) / 1000 / Double(DeliveryTrace.opportunity.bytes * 8)
        let expected = perMillisecond * Double(length)
        guard length > 0, expected <= Double(Self.mostOpportunities) else { return nil }
        var random = RandomStream(seed: seed, for: .trace)
        let ticks = (length + Self.tick - 1) / Self.tick
        let rates = rates(count: ticks, &random)
        let scale = perMillisecond * Double(ticks) / rates.reduce(0, +)
        var milliseconds: [UInt64] = []
        milliseconds.reserveCapacity(Int(expected * 1.1) + 1)
        // How many opportunities are due, and which number the next one has.
        var due = 0.0
        var next = distance(&random)
        for millisecond in 1...length {
            due += rates[(millisecond - 1) / Self.tick] * scale
            // Sums of fractions fall short of whole numbers.
            while due >= next - 1e-9 {
                milliseconds.append(UInt64(millisecond))
                next += distance(&random)
            }
        }
        // The last opportunity is the length of a trace.
        if !milliseconds.isEmpty { milliseconds[milliseconds.count - 1] = UInt64(length) }
        return try? DeliveryTrace(milliseconds: milliseconds)
    }

    private func distance(_ random: inout RandomStream) -> Double {
        self == .constant ? 1 : -log(1 - random.unit())
    }

    /// The rate in each tick, of any mean above zero.
    private func rates(count: Int, _ random: inout RandomStream) -> [Double] {
        switch self {
        case .cellular: Self.cellularRates(count, &random)
        case .satellite: Self.satelliteRates(count, &random)
        case .constant: Array(repeating: 1, count: count)
        }
    }

    private static func cellularRates(_ count: Int, _ random: inout RandomStream) -> [Double] {
        let seconds = Double(tick) / 1000
        let step = 0.4 * seconds.squareRoot()
        let escape = 1 - exp(-seconds)
        var rate = 0.25 + 1.5 * random.unit()
        return (0..<count).map { _ in
            defer {
                if rate == 0 {
                    if random.unit() < escape { rate = 0.5 }
                } else {
                    rate += step * random.normal()
                    rate = rate <= 0 ? 0 : rate > 2 ? max(0, 4 - rate) : rate
                }
            }
            return rate
        }
    }

    private static func satelliteRates(_ count: Int, _ random: inout RandomStream) -> [Double] {
        let slot = 15_000 / tick
        var untilChange = Int(random.unit() * Double(slot))
        var level = 0.5 + random.unit()
        var pause = 0
        return (0..<count).map { _ in
            if untilChange == 0 {
                untilChange = slot
                level = 0.5 + random.unit()
                pause = Int((50 + 100 * random.unit()) / Double(tick) + 0.5)
            }
            untilChange -= 1
            pause = max(0, pause - 1)
            let wobble = max(0.1, 1 + 0.15 * random.normal())
            return pause > 0 ? 0 : level * wobble
        }
    }
}

extension RandomStream {
    /// A number of the standard normal distribution (Box and Muller 1958).
    fileprivate mutating func normal() -> Double {
        let radius = (-2 * log(1 - unit())).squareRoot()
        return radius * cos(2 * .pi * unit())
    }
}
