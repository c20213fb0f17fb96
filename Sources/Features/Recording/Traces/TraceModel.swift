import Glibc
public import LinkModel
public import LinkUnits

/// A model that generates delivery traces of a kind of link.
///
/// Theory of operation. The rate of the link is a random process in steps of 20 ms, and packets
/// pass as a Poisson process at that rate (for `constant`, at equal intervals). The result is
/// scaled to the requested mean. The same seed gives the same trace.
public enum TraceModel: String, Sendable, CaseIterable {
    /// A moving phone. The rate is a Brownian motion that stops at zero for an outage, as in
    /// Sprout's model of cellular links (Winstein, Sivaraman, Balakrishnan: Stochastic Forecasts
    /// Achieve High Throughput and Low Delay over Cellular Networks, NSDI 2013, section 3.1), with
    /// its parameters: rates up to twice the mean, a standard deviation of 0.4 of the mean after a
    /// second (200 of 500 packets/s), outages of one second on average.
    ///
    /// There is one difference: an outage ends at half the mean rate. At zero, as in Sprout's
    /// forecasting model, the next outage would follow at once, and outages would take a third of
    /// the time. Here they take 8 per cent on average; in mahimahi's recordings of AT&T's network,
    /// pauses of more than half a second take 4 to 12 per cent.
    case cellular
    /// Starlink. A terminal switches satellites every 15 seconds (Mohan et al.: A Multifaceted Look
    /// at Starlink Performance, WWW 2024). Our own choices: the rate then changes by at most half
    /// the mean, and nothing passes for 50 to 150 ms.
    case satellite
    /// A constant rate.
    case constant

    /// The most opportunities of a trace; its file has about 35 MB.
    public static let mostOpportunities = 5_000_000
    /// The longest duration of a trace.
    public static let longest = Duration.seconds(86_400)

    private static let tick = 20

    /// Generates a trace.
    ///
    /// - Parameters:
    ///   - mean: The mean rate of a link that always has something to send.
    ///   - duration: Its length, from a second to a day, in whole milliseconds.
    ///   - seed: The seed of the random process.
    /// - Returns: Nil if it would have too many opportunities, or none.
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
        // The number of opportunities due, and the index of the next one.
        var due = 0.0
        var next = distance(&random)
        for millisecond in 1...length {
            due += rates[(millisecond - 1) / Self.tick] * scale
            // Sums of fractions may fall slightly short of whole numbers.
            while due >= next - 1e-9 {
                milliseconds.append(UInt64(millisecond))
                next += distance(&random)
            }
        }
        // The last opportunity determines the trace's length.
        if !milliseconds.isEmpty { milliseconds[milliseconds.count - 1] = UInt64(length) }
        return try? DeliveryTrace(milliseconds: milliseconds)
    }

    private func distance(_ random: inout RandomStream) -> Double {
        self == .constant ? 1 : -log(1 - random.unit())
    }

    /// The rate in each tick, with any mean above zero.
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
    /// A standard normal random number (Box and Muller 1958).
    fileprivate mutating func normal() -> Double {
        let radius = (-2 * log(1 - unit())).squareRoot()
        return radius * cos(2 * .pi * unit())
    }
}
