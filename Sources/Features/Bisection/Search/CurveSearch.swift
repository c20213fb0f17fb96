/// Decides which points are run, and what the runs say. It uses no processes and no clock.
///
/// Theory of operation. The points lie in order from one end of the range to the other. First both
/// ends are run until `SequentialTest` decides; it tells which one is good. Then the middle of the
/// last point that passes and the first that fails, again and again. Then the middles of the longest
/// parts that nothing is known of, to find a curve that turns back. At last, points around the
/// crossing, until the interval is a single gap or the runs are used up.
///
/// Several runs may go on at once. Results are taken in the order of the starts, since what is bet
/// on a run must not depend on which one ends first.
public struct CurveSearch: Sendable {
    /// A run of the search.
    public struct Run: Sendable, Hashable {
        /// The point.
        public let point: Int
        /// Whether the command passed; nil: it runs.
        public fileprivate(set) var passed: Bool?
    }

    /// What the runs say about a point.
    public struct Count: Sendable, Hashable {
        /// Runs that passed.
        public var passed = 0
        /// Runs that failed.
        public var failed = 0

        /// What the sequential test says; nil: nothing yet.
        public var verdict: SequentialTest.Verdict? {
            SequentialTest.verdict(passed: passed, failed: failed)
        }

        /// All runs.
        public var runs: Int { passed + failed }

        /// Counts nothing.
        public init() {}

        mutating func add(passed isPassed: Bool) {
            if isPassed { passed += 1 } else { failed += 1 }
        }
    }

    /// Where the points lie, from 0 to 1.
    public let places: [Double]
    /// How many runs there may be.
    public let mostRuns: Int
    /// The runs in the order of their starts.
    public private(set) var runs: [Run] = []
    /// What the runs say about each point.
    public private(set) var counts: [Count]
    /// Nil until both ends are decided, and differ.
    private(set) var evidence: CrossingEvidence?
    private(set) var model: CurveModel?
    private(set) var belief: Belief?
    /// Whether the last point is the good end.
    private(set) var isReversed = false
    /// Points that contradict each other, as they were first decided.
    private var doubts: [Int: SequentialTest.Verdict] = [:]
    /// How many runs, from the first, the evidence has.
    private var taken = 0

    /// What is bet on points that contradict each other.
    private static let doubt = 0.9

    /// Begins a search.
    ///
    /// - Parameters:
    ///   - places: Where the points lie, from 0 to 1; at least two.
    ///   - mostRuns: How many runs there may be.
    public init(places: [Double], mostRuns: Int) {
        precondition(places.count >= 2, "a search is between two ends")
        self.places = places
        self.mostRuns = mostRuns
        counts = places.map { _ in Count() }
    }

    // MARK: Runs

    /// Starts the next run; nil: nothing is to be started now, or any more.
    ///
    /// - Returns: The number of the run.
    public mutating func start() -> Int? {
        nextPoint().map { start(at: $0) }
    }

    /// Starts a run at a point, as one of an earlier search that goes on.
    @discardableResult
    public mutating func start(at point: Int) -> Int {
        runs.append(Run(point: point))
        return runs.count - 1
    }

    /// Takes the result of a run.
    public mutating func finish(_ run: Int, passed: Bool) {
        precondition(runs[run].passed == nil, "a run ends once")
        runs[run].passed = passed
        counts[runs[run].point].add(passed: passed)
        findDirection()
        takeEvidence()
    }

    private mutating func findDirection() {
        guard evidence == nil, let first = counts[0].verdict, let last = counts[end].verdict,
            first == last.opposite, first != .undecided
        else { return }
        isReversed = first == .fails
        evidence = CrossingEvidence(points: places.count)
        model = CurveModel(points: (0...end).map { goodness(ordered($0)) })
    }

    private mutating func takeEvidence() {
        guard var evidence, var model else { return }
        while taken < runs.count, let passed = runs[taken].passed {
            let point = runs[taken].point
            let doubt = doubts[point].map { $0 == .passes ? Self.doubt : 1 - Self.doubt }
            evidence.take(
                at: ordered(point), passed: passed, chance: model.chance(at: goodness(point)),
                doubt: doubt)
            model.learn(at: goodness(point), passed: passed)
            taken += 1
        }
        self.evidence = evidence
        self.model = model
        belief = Belief(model.gaps)
        // For the bets on later runs.
        guard let doubted = doubtedPoints(counts) else { return }
        for point in [doubted.point, doubted.other] {
            doubts[point] = doubts[point] ?? counts[point].verdict
        }
    }

    // MARK: What is known

    /// How far a search has come.
    public enum State: Sendable, Hashable {
        /// The ends are not decided yet.
        case checksEnds
        /// Both ends pass, or both fail, or one is undecided.
        case noCrossing(first: SequentialTest.Verdict, last: SequentialTest.Verdict)
        /// It goes on.
        case narrows
        /// The interval is a single gap.
        case settled
        /// All runs are used.
        case isExhausted
        /// The curve crosses one half more than once, and is shown.
        case turnsBack
    }

    /// How far it has come.
    public var state: State {
        guard let first = counts[0].verdict, let last = counts[end].verdict else {
            return runs.count >= mostRuns ? .isExhausted : .checksEnds
        }
        guard evidence != nil else { return .noCrossing(first: first, last: last) }
        if turnsBack {
            return runs.count >= mostRuns || shownPoint == nil ? .turnsBack : .narrows
        }
        if wantedPoint(counts) == nil { return .settled }
        return runs.count >= mostRuns ? .isExhausted : .narrows
    }

    /// Whether no more runs start.
    public var isDone: Bool {
        switch state {
        case .checksEnds, .narrows: false
        case .noCrossing, .settled, .isExhausted, .turnsBack: true
        }
    }

    /// The points between which half of the runs pass, with a probability of 95 %: the one that is
    /// nearer to the good end first. Nil: unknown, or the curve crosses more than once.
    public var interval: (good: Int, bad: Int)? {
        orderedInterval.map { (ordered($0.good), ordered($0.bad)) }
    }

    /// The same whatever the shape of the curve is, if it only falls.
    public var safeInterval: (good: Int, bad: Int)? {
        evidence?.gaps.map { (ordered($0.lowerBound), ordered($0.upperBound + 1)) }
    }

    /// Where half of the runs pass, from 0 to 1, as `places`; nil: unknown.
    public var crossing: Double? {
        guard let interval = orderedInterval, let belief else { return nil }
        // Between a point that passes and one that fails, nothing prefers one place.
        let (good, bad, part) =
            isStep
            ? (interval.good, interval.bad, 0.5)
            : (belief.middle.gap, belief.middle.gap + 1, belief.middle.part)
        let (low, high) = (places[ordered(good)], places[ordered(bad)])
        return low + (high - low) * part
    }

    /// Whether every point passed always, or never.
    public var isStep: Bool { counts.allSatisfy { $0.passed == 0 || $0.failed == 0 } }

    /// Whether the curve crosses one half more than once.
    public var turnsBack: Bool { evidence.map { $0.gaps == nil } ?? false }

    /// Whether the last point is the good end; nil: unknown.
    public var isGoodLast: Bool? { evidence.map { _ in isReversed } }

    // MARK: Order

    var end: Int { places.count - 1 }

    /// The number of a point from the good end, and the other way round.
    func ordered(_ point: Int) -> Int { isReversed ? end - point : point }

    /// The way from the good end to a point.
    func goodness(_ point: Int) -> Double { isReversed ? 1 - places[point] : places[point] }

    /// The interval in numbers from the good end.
    var orderedInterval: (good: Int, bad: Int)? {
        guard let belief, !turnsBack else { return nil }
        let (low, high) = (belief.interval.lowerBound, belief.interval.upperBound + 1)
        guard isStep else { return (low, high) }
        // Nothing is known of the part between the last point that passes and the first that fails.
        let good = (0...end).last { counts[ordered($0)].passed > 0 } ?? 0
        let bad = (0...end).first { counts[ordered($0)].failed > 0 } ?? end
        return (min(low, good), max(high, bad))
    }
}
