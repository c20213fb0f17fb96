/// In which gap the curve crosses one half, as `CurveModel` believes.
struct Belief: Sendable {
    /// How often the interval misses the crossing, at most: less than is promised, since no real
    /// curve is exactly one of the model's.
    static let error = 0.015

    /// The gaps from the first to the last, without the unlikely ones at both sides.
    let interval: ClosedRange<Int>
    /// The gap of the median, and which part of the gap lies before it.
    let middle: (gap: Int, part: Double)
    private let chances: [Double]

    /// - Parameter chances: How likely each gap has the crossing.
    init(_ chances: [Double]) {
        self.chances = chances
        let quantile = { (share: Double) in Self.quantile(share, chances) }
        interval = quantile(Self.error / 2).gap...quantile(1 - Self.error / 2).gap
        middle = quantile(0.5)
    }

    /// The point nearest to a quantile.
    func point(at share: Double) -> Int {
        let (gap, part) = Self.quantile(share, chances)
        return part < 0.5 ? gap : gap + 1
    }

    private static func quantile(
        _ share: Double, _ chances: [Double]
    ) -> (gap: Int, part: Double) {
        var sum = 0.0
        for (gap, chance) in chances.enumerated() {
            if sum + chance >= share, chance > 0 { return (gap, (share - sum) / chance) }
            sum += chance
        }
        return (chances.count - 1, 1)
    }
}
