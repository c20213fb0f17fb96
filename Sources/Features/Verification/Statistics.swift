import Glibc
import LinkModel

/// Statistics of samples.
package enum Statistics {
    /// The probability that a check of a correct link fails by chance: one in 100,000.
    ///
    /// A run over all profiles makes a thousand checks, most without randomness. At this
    /// probability, the whole run fails by chance at most once in a hundred times (Bonferroni).
    package static let errorProbability = 1e-5

    /// The number of standard deviations that a normal variable exceeds, in either direction, with
    /// that probability.
    package static let deviations = 4.417

    /// The mean; nil without values.
    package static func mean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
    }

    /// The standard deviation of the population that `values` sample; nil for fewer than two.
    package static func standardDeviation(_ values: [Double]) -> Double? {
        guard values.count > 1, let mean = mean(values) else { return nil }
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(values.count - 1)).squareRoot()
    }

    /// The value below which `share` of `values` lie, interpolated linearly; nil without values.
    package static func percentile(_ share: Double, of values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let place = share * Double(sorted.count - 1)
        let below = Int(place.rounded(.down))
        let above = min(below + 1, sorted.count - 1)
        return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
    }

    /// The median; nil without values.
    package static func median(_ values: [Double]) -> Double? { percentile(0.5, of: values) }

    /// The standard deviation of a normal distribution with the same quartiles, robust against
    /// outliers. Nil without values.
    package static func robustDeviation(_ values: [Double]) -> Double? {
        guard let low = percentile(0.25, of: values), let high = percentile(0.75, of: values)
        else { return nil }
        return (high - low) / 1.349
    }

    /// Events per unit of time, from the time of each: the slope of the least-squares line through
    /// their numbers. Nil for fewer than three, and if all are simultaneous.
    package static func rate(ofEventsAt times: [Double]) -> Double? {
        guard times.count > 2 else { return nil }
        let times = times.sorted()
        let middle = Double(times.count - 1) / 2
        guard let mean = mean(times) else { return nil }
        var spread = 0.0
        var product = 0.0
        for (number, time) in times.enumerated() {
            spread += (time - mean) * (time - mean)
            product += (time - mean) * (Double(number) - middle)
        }
        return spread > 0 ? product / spread : nil
    }

    /// The rate of a stream that stalls behind lost packets and then catches up at once; nil for
    /// fewer than two readings.
    ///
    /// An interval that begins or ends within a stall would be wrong by all the waiting data. So
    /// both ends are chosen, each in its quarter of the readings, where the stream is least behind.
    package static func steadyRate(times: [Double], totals: [Double]) -> Double? {
        guard let begin = times.first, let end = times.last, end > begin else { return nil }
        let quarter = (end - begin) / 4
        let early = times.indices.filter { times[$0] <= begin + quarter }
        let late = times.indices.filter { times[$0] >= end - quarter }
        var ends = (first: 0, last: times.count - 1)
        var rate = 0.0
        for _ in 0..<4 {
            rate = (totals[ends.last] - totals[ends.first]) / (times[ends.last] - times[ends.first])
            let isBehind = { (one: Int, other: Int) in
                totals[one] - rate * times[one] < totals[other] - rate * times[other]
            }
            ends = (
                early.max(by: isBehind) ?? ends.first, late.max(by: isBehind) ?? ends.last
            )
        }
        return rate
    }

    /// The lengths of the runs of true values.
    package static func runs(_ values: [Bool]) -> [Int] {
        var lengths: [Int] = []
        var length = 0
        for value in values {
            if value {
                length += 1
            } else if length > 0 {
                lengths.append(length)
                length = 0
            }
        }
        if length > 0 { lengths.append(length) }
        return lengths
    }
}
