import Glibc

/// Where the curve of success may cross one half: a confidence set that holds at any time.
///
/// Theory of operation. Points are numbered from the good end to the bad end. Gap `c` lies between
/// the points `c` and `c + 1`. If the curve crosses one half there, at least half of the runs pass
/// at every point up to `c`, and at most half at every point beyond. Against each gap a gambler bets
/// whatever the past suggests, at even odds: that a run at a point beyond the gap passes, or that
/// one before it fails. If the curve does cross there, the odds are never in his favour, so that his
/// wealth reaches 20 times its beginning with a probability of at most 1 in 20, however long he
/// plays, wherever the next point is chosen, and whenever the search ends (Ville 1939). The gaps
/// against which it did not are the set: it has the true one with a probability of at least 95 %.
/// No shape of the curve is assumed. Without any gap left, the curve crosses more than once.
struct CrossingEvidence: Sendable {
    /// How often the set misses the crossing, at most.
    static let error = 0.05
    private static let limit = log(1 / error)
    /// The most that is bet: nobody loses all by one run.
    private static let boldest = 0.95

    /// The logarithms of the wealths against each gap: of a gambler who follows the belief, and of
    /// one who waits for a point that contradicts it, and then follows the record of that point.
    private var follower: [Double]
    private var doubter: [Double]
    private(set) var isRejected: [Bool]

    /// Begins without evidence.
    init(points: Int) {
        follower = [Double](repeating: 0, count: points - 1)
        doubter = follower
        isRejected = [Bool](repeating: false, count: points - 1)
    }

    /// Takes a run at a point.
    ///
    /// - Parameters:
    ///   - chance: The probability that it passes, as believed before it.
    ///   - doubt: The probability of a doubter; nil: there is no doubt.
    mutating func take(at point: Int, passed: Bool, chance: Double, doubt: Double?) {
        Self.bet(at: point, passed: passed, chance: chance, &follower)
        if let doubt { Self.bet(at: point, passed: passed, chance: doubt, &doubter) }
        for gap in isRejected.indices
        where log((exp(follower[gap]) + exp(doubter[gap])) / 2) >= Self.limit {
            isRejected[gap] = true
        }
    }

    private static func bet(
        at point: Int, passed: Bool, chance: Double, _ wealth: inout [Double]
    ) {
        let chance = min(max(chance, 1 - boldest), boldest)
        let change = log(2 * (passed ? chance : 1 - chance))
        // A run that is believed to pass contradicts the gaps before its point.
        let gaps = chance > 0.5 ? 0..<min(point, wealth.count) : point..<max(point, wealth.count)
        for gap in gaps { wealth[gap] += change }
    }

    /// The gaps that are left, from the first to the last; nil: none.
    var gaps: ClosedRange<Int>? {
        guard let first = isRejected.firstIndex(of: false),
            let last = isRejected.lastIndex(of: false)
        else { return nil }
        return first...last
    }
}
