import Glibc

/// How likely two samples differ as much as they do by chance alone: the Mann-Whitney U test,
/// two-sided, which assumes no distribution.
struct RankTest {
    /// The smallest sample that can show anything: with fewer, every difference may be chance.
    static let leastSample = 4
    /// Above this, the normal approximation is good, and counting takes long.
    private static let mostCounted = 30

    /// The probability of such a difference or a greater one by chance.
    let probability: Double

    /// Compares two samples; nil if one of them has fewer than `leastSample` values.
    init?(_ first: [Double], _ second: [Double]) {
        guard min(first.count, second.count) >= Self.leastSample else { return nil }
        let ranks = Self.doubledRanks(first + second)
        let sum = ranks.prefix(first.count).reduce(0, +)
        // Of the sum that equal samples have on average.
        let distance = abs(sum - first.count * (ranks.count + 1))
        let isSmall = max(first.count, second.count) <= Self.mostCounted
        probability =
            isSmall
            ? Self.counted(ranks, first.count, distance: distance)
            : Self.approximated(ranks, first.count, distance: distance)
    }

    /// Twice the rank of each value, which is a whole number also among equal values.
    private static func doubledRanks(_ values: [Double]) -> [Int] {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var ranks = values.map { _ in 0 }
        var start = 0
        while start < order.count {
            let value = values[order[start]]
            let end = order[start...].firstIndex { values[$0] != value } ?? order.count
            // The mean of the ranks start + 1 to end.
            for index in order[start..<end] { ranks[index] = start + 1 + end }
            start = end
        }
        return ranks
    }

    /// The share of all ways to choose the first sample in which its ranks differ as much.
    private static func counted(_ ranks: [Int], _ count: Int, distance: Int) -> Double {
        let most = ranks.reduce(0, +)
        // By size and sum, the number of ways to choose some of the ranks so far.
        var ways = [[Double]](
            repeating: [Double](repeating: 0, count: most + 1), count: count + 1)
        ways[0][0] = 1
        for rank in ranks {
            for size in stride(from: count, to: 0, by: -1) {
                for sum in stride(from: most, through: rank, by: -1) {
                    ways[size][sum] += ways[size - 1][sum - rank]
                }
            }
        }
        let mean = count * (ranks.count + 1)
        let extreme = (0...most).reduce(0.0) { total, sum in
            abs(sum - mean) >= distance ? total + ways[count][sum] : total
        }
        return extreme / ways[count].reduce(0, +)
    }

    /// By the normal distribution, corrected for equal values and for whole ranks.
    private static func approximated(_ ranks: [Int], _ count: Int, distance: Int) -> Double {
        let all = Double(ranks.count)
        let (first, second) = (Double(count), all - Double(count))
        let ties = Dictionary(grouping: ranks) { $0 }.values.reduce(0.0) { sum, equal in
            let number = Double(equal.count)
            return sum + number * number * number - number
        }
        let variance = first * second / 12 * (all + 1 - ties / (all * (all - 1)))
        guard variance > 0 else { return 1 }
        let deviation = max(0, Double(distance) / 2 - 0.5) / variance.squareRoot()
        return erfc(deviation / 2.0.squareRoot())
    }
}

extension [Double] {
    /// By which factor the values have grown: the median of the ratios of all pairs (Hodges and
    /// Lehmann); nil if there is none.
    func growth(to later: [Double]) -> Double? {
        guard allSatisfy({ $0 > 0 }) else { return nil }
        return flatMap { before in later.map { $0 / before } }.median
    }
}

/// Which of many comparisons are believed: at most one in twenty of them is by chance (Benjamini
/// and Hochberg).
struct Discoveries {
    private let limit: Double?
    private static let share = 0.05

    init(_ probabilities: [Double]) {
        let sorted = probabilities.sorted()
        let step = Self.share / Double(max(1, sorted.count))
        let last = sorted.indices.last { sorted[$0] <= step * Double($0 + 1) }
        limit = last.map { sorted[$0] }
    }

    func include(_ probability: Double) -> Bool {
        limit.map { probability <= $0 } ?? false
    }
}
