public import LinkModel
public import LinkUnits

/// A summary of a delivery trace in a few numbers.
public struct TraceStatistics: Sendable, Hashable {
    /// The percentiles shown to people.
    public static let percentiles = [5, 25, 50, 75, 95, 100]

    /// The window in which rates are counted: 100 ms, or more for a trace so long that there would
    /// be too many windows.
    public let window: Duration

    /// The rate of each window in bits per second, in order. The last one may be shorter.
    public let rates: [UInt64]
    /// The share of windows without any opportunity.
    public let silence: Ratio
    /// The longest gap between two opportunities, including the wrap to the start.
    public let longestGap: Duration
    /// The start of that gap.
    public let longestGapStart: Duration

    private let sortedRates: [UInt64]

    private static let shortestWindow: UInt64 = 100
    /// The number of 100 ms windows in more than a day.
    private static let mostWindows: UInt64 = 1_000_000

    /// Analyses a trace.
    public init(_ trace: DeliveryTrace) {
        let most = Self.mostWindows * Self.shortestWindow
        let length = ((trace.periodMilliseconds - 1) / most + 1) * Self.shortestWindow
        window = .milliseconds(Int64(length))
        let counts = trace.byteCounts(perMilliseconds: length)
        rates = counts.enumerated().map { index, count in
            let rest = trace.periodMilliseconds - UInt64(index) * length
            return count.bytes * 8 * 1000 / min(length, rest)
        }
        sortedRates = rates.sorted()
        let silent = counts.count { $0.bytes == 0 }
        silence = Ratio(partsPerBillion: UInt32(silent * 1_000_000_000 / counts.count)) ?? .one
        var gap: (length: UInt64, start: UInt64) = (0, 0)
        var last: UInt64 = 0
        for moment in trace.milliseconds {
            if moment - last > gap.length { gap = (moment - last, last) }
            last = moment
        }
        longestGap = .milliseconds(Int64(gap.length))
        longestGapStart = .milliseconds(Int64(gap.start))
    }

    /// The rate in bits per second that this percentage of windows does not exceed.
    public func rate(percentile: Int) -> UInt64 {
        let rank = (sortedRates.count * min(max(percentile, 0), 100) + 99) / 100
        return sortedRates[max(0, rank - 1)]
    }
}
