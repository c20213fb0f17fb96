/// Which point is run next.
extension CurveSearch {
    /// How many parts without points are looked into, about.
    private static let looks = 2
    /// How many points show a curve that turns back.
    private static let shownPoints = 9
    /// How many runs each of two points gets that contradict each other.
    private static let mostDoubted = 2 * SequentialTest.mostRuns
    /// Which parts of the belief are run in turn.
    private static let shares = [0.5, 0.15, 0.85, 0.35, 0.65]

    mutating func nextPoint() -> Int? {
        guard runs.count < mostRuns else { return nil }
        let running = runs.filter { $0.passed == nil }.map(\.point)
        // What runs there may be enough to decide an end.
        for point in [0, end] {
            let needed = SequentialTest.leastRuns(
                passed: counts[point].passed, failed: counts[point].failed)
            if needed > running.count(where: { $0 == point }) { return point }
        }
        guard evidence != nil else { return nil }
        if turnsBack { return running.isEmpty ? shownPoint : nil }
        // Assumes that what runs ends as believed, so that processors do not wait.
        var assumed = counts
        for point in running {
            let chance = model?.chance(at: goodness(point)) ?? 1
            assumed[point].add(passed: chance > 0.5)
        }
        return wantedPoint(assumed)
    }

    /// A point that is to show the curve, while one is lacking.
    var shownPoint: Int? {
        (0..<Self.shownPoints).map { $0 * end / (Self.shownPoints - 1) }.first {
            counts[$0].verdict == nil
        }
    }

    /// What to run next, if the counts are these; nil: nothing.
    func wantedPoint(_ counts: [Count]) -> Int? {
        bracketPoint(counts) ?? doubtedPoint(counts) ?? lookPoint(counts) ?? crossingPoint(counts)
    }

    /// The middle of what passes and what fails.
    private func bracketPoint(_ counts: [Count]) -> Int? {
        let verdict = { (point: Int) in counts[ordered(point)].verdict }
        let good = (0...end).last { verdict($0) == .passes } ?? 0
        let bad = (0...end).first { verdict($0) == .fails } ?? end
        // The crossing is near an undecided point.
        guard bad - good > 1, !(good...bad).contains(where: { verdict($0) == .undecided }) else {
            return nil
        }
        return ordered((good + bad) / 2)
    }

    /// A point on one side of the interval that is decided as on the other side, and the point
    /// between both that it contradicts; nil: none.
    func doubtedPoints(_ counts: [Count]) -> (point: Int, other: Int)? {
        guard let interval = orderedInterval else { return nil }
        let verdict = { (point: Int) in counts[ordered(point)].verdict }
        if let point = (interval.bad...end).last(where: { verdict($0) == .passes }),
            let other = (interval.good..<point).last(where: { verdict($0) == .fails })
        {
            return (ordered(point), ordered(other))
        }
        if let point = (0...interval.good).first(where: { verdict($0) == .fails }),
            let other = (point...interval.bad).first(where: { verdict($0) == .passes })
        {
            return (ordered(point), ordered(other))
        }
        return nil
    }

    private func doubtedPoint(_ counts: [Count]) -> Int? {
        guard let doubted = doubtedPoints(counts) else { return nil }
        let point = [doubted.point, doubted.other].min { counts[$0].runs < counts[$1].runs }
        return point.flatMap { counts[$0].runs < Self.mostDoubted ? $0 : nil }
    }

    /// The middle of the longest part outside the interval that nothing is known of, until it is
    /// decided.
    private func lookPoint(_ counts: [Count]) -> Int? {
        guard let interval = orderedInterval else { return nil }
        let isInside = { (point: Int) in (interval.good...interval.bad).contains(point) }
        let begun = (0...end).first { point in
            let count = counts[ordered(point)]
            return count.runs > 0 && count.verdict == nil && !isInside(point)
        }
        if let begun { return ordered(begun) }
        let known = (0...end).filter { counts[ordered($0)].verdict != nil }
        let parts = zip(known, known.dropFirst()).filter { low, high in
            high - low > max(1, end / (2 * Self.looks + 1))
                && (high <= interval.good || low >= interval.bad)
        }
        let longest = parts.max { $0.1 - $0.0 < $1.1 - $1.0 }
        return longest.map { ordered(($0.0 + $0.1) / 2) }
    }

    /// A point where the crossing may be: parts of the belief in turn, so that runs gather around
    /// the crossing, on both sides of it.
    private func crossingPoint(_ counts: [Count]) -> Int? {
        guard let interval = orderedInterval, interval.bad - interval.good > 1, let belief else {
            return nil
        }
        let sum = counts.reduce(0) { $0 + $1.runs }
        let point = belief.point(at: Self.shares[sum % Self.shares.count])
        return ordered(min(max(point, interval.good), interval.bad))
    }
}
