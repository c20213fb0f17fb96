public import LinkModel
import Recording

/// What a search found. The keys are a stable interface: see `Profiles/schema/bisect.schema.json`.
public struct BisectionReport: Encodable, Sendable {
    /// What the answer is.
    public enum Outcome: String, Encodable, Sendable {
        /// Half of the runs fail within the interval.
        case found
        /// The command passes at both ends.
        case passesEverywhere = "passes-at-both-ends"
        /// The command fails at both ends.
        case failsEverywhere = "fails-at-both-ends"
        /// About half of the runs pass at an end.
        case undecidedEnd = "undecided-end"
        /// It begins to fail more than once.
        case turnsBack = "not-monotone"
        /// The ends were not decided.
        case unknown
    }

    /// A value of the quantity.
    public struct Value: Encodable, Hashable, Sendable {
        /// As a profile writes it.
        public let text: String
        /// In the unit of the report.
        public let number: Double
    }

    /// An interval.
    public struct Interval: Encodable, Hashable, Sendable {
        /// The end nearer to where the command passes.
        public let good: Value
        /// The end nearer to where it fails.
        public let bad: Value
    }

    /// The runs at a value.
    public struct Point: Encodable, Sendable {
        /// The value.
        public let value: Value
        /// Runs that passed.
        public let passed: Int
        /// Runs that failed.
        public let failed: Int
        /// What the sequential test says.
        @OrNull public var verdict: String?
        /// The 95 % interval of the share that passes (Clopper and Pearson).
        public let lowRatio: Double
        /// The upper end of the interval.
        public let highRatio: Double
        let place: Double

        private enum CodingKeys: String, CodingKey {
            case value, passed, failed, verdict, lowRatio, highRatio
        }
    }

    /// A run that can be repeated.
    public struct Replay: Encodable, Sendable {
        /// The value.
        public let value: Value
        /// The seed; nil if the kernel drew the random numbers.
        @OrNull public var seed: UInt64?
        /// The command line; nil: there is none.
        @OrNull public var command: [String]?
        /// The output, relative to the directory.
        @OrNull public var log: String?
    }

    /// The request.
    public let request: BisectionRequest
    /// The unit of the numbers.
    public let unit: String
    /// What the answer is.
    public let outcome: Outcome
    /// Why the search ended early: `budget`, `interrupted`, `busy`, or `trials`; nil: it did not.
    @OrNull public var earlyEnd: String?
    /// Where half of the runs fail.
    @OrNull public var crossing: Value?
    /// The 95 % interval.
    @OrNull public var interval: Interval?
    /// The 95 % interval whatever the shape of the curve is, if it only falls.
    @OrNull public var safeInterval: Interval?
    /// Whether each value passed always, or never.
    public let isStep: Bool
    /// The values that were run, from the end that was named first.
    public let points: [Point]
    /// How many runs count.
    public let runs: Int
    /// How many were thrown away, since the machine was too busy.
    public let discardedRuns: Int
    /// How many of those that count printed no number to measure.
    public let runsWithoutNumber: Int
    /// The passing run nearest to the crossing.
    @OrNull public var nearestPassing: Replay?
    /// The failing run nearest to the crossing.
    @OrNull public var nearestFailing: Replay?
    /// The sequential test, in words.
    public let test = SequentialTest.explanation
    /// How long this search took.
    public let durationSeconds: Double
    /// What the plot needs.
    let range: SearchedRange
    let crossingPlace: Double?
    let intervalPlaces: (good: Double, bad: Double)?
    /// The last value that passed and the first that failed, if each did so always or never.
    private let step: Interval?

    private enum CodingKeys: String, CodingKey {
        case request, unit, outcome, earlyEnd, crossing, interval, safeInterval, isStep, points,
            runs
        case discardedRuns, runsWithoutNumber, nearestPassing, nearestFailing, test
        case durationSeconds
    }

    init(
        _ request: BisectionRequest, _ range: SearchedRange, _ search: CurveSearch,
        _ trials: [TrialRecord], earlyEnd: String?, seconds: Double,
        reproduction: (String, UInt64?) -> [String]?
    ) {
        let value = { (index: Int) in
            Value(text: range.texts[index], number: range.values[index].number)
        }
        self.request = request
        self.range = range
        crossingPlace = search.crossing
        intervalPlaces = search.interval.map { (range.places[$0.good], range.places[$0.bad]) }
        unit = range.values[0].unit.rawValue
        durationSeconds = seconds
        isStep = search.isStep
        let counted = trials.filter { $0.passed != nil }
        runs = counted.count
        discardedRuns = trials.count - counted.count
        runsWithoutNumber =
            request.rule.needsOutput ? counted.count { $0.measured == nil } : 0
        let isExhausted = search.runs.count >= search.mostRuns && search.state != .settled
        _earlyEnd = OrNull(wrappedValue: earlyEnd ?? (isExhausted ? "trials" : nil))
        switch search.state {
        case .noCrossing(.passes, .passes): outcome = .passesEverywhere
        case .noCrossing(.fails, .fails): outcome = .failsEverywhere
        case .noCrossing: outcome = .undecidedEnd
        default:
            outcome =
                search.turnsBack ? .turnsBack : search.interval == nil ? .unknown : .found
        }
        let crossing = search.crossing
        _crossing = OrNull(
            wrappedValue: crossing.map {
                Value(text: range.text(at: $0), number: range.number(at: $0))
            })
        let interval = { (ends: (good: Int, bad: Int)?) in
            ends.map { Interval(good: value($0.good), bad: value($0.bad)) }
        }
        _interval = OrNull(wrappedValue: interval(search.interval))
        _safeInterval = OrNull(wrappedValue: interval(search.safeInterval))
        points = search.counts.indices.filter { search.counts[$0].runs > 0 }.map { index in
            let count = search.counts[index]
            let share = ProportionInterval(
                successes: Double(count.passed), trials: Double(count.runs), error: 0.05)
            return Point(
                value: value(index), passed: count.passed, failed: count.failed,
                verdict: count.verdict?.rawValue, lowRatio: share.low, highRatio: share.high,
                place: range.places[index])
        }
        step = isStep ? Self.step(points, isGoodLast: search.isGoodLast == true) : nil
        func nearest(_ passed: Bool) -> Replay? {
            let runs = counted.filter { $0.passed == passed }
            let middle = crossing ?? (passed ? 0 : 1)
            let best = runs.min {
                abs(range.places[$0.point] - middle) < abs(range.places[$1.point] - middle)
            }
            return best.map { trial in
                Replay(
                    value: value(trial.point), seed: trial.seed,
                    command: reproduction(trial.value, trial.seed), log: trial.log)
            }
        }
        _nearestPassing = OrNull(wrappedValue: nearest(true))
        _nearestFailing = OrNull(wrappedValue: nearest(false))
    }

    private static func step(_ points: [Point], isGoodLast: Bool) -> Interval? {
        let fromGood = isGoodLast ? points.reversed() : points
        guard let good = fromGood.last(where: { $0.passed > 0 }),
            let bad = fromGood.first(where: { $0.failed > 0 })
        else { return nil }
        return Interval(good: good.value, bad: bad.value)
    }

    /// The answer in a sentence or two, with what to do.
    public var sentence: String {
        let name = request.quantity
        var text: String
        switch outcome {
        case .found:
            let ends = interval.map { "95%: \($0.good.text) to \($0.bad.text)" } ?? ""
            if let step {
                let (good, bad) = (step.good.text, step.bad.text)
                text = "\(name): the command passes at \(good) and fails at \(bad)"
                text += step == interval ? "." : "; \(ends)."
            } else {
                let crossing = crossing?.text ?? "?"
                text = "\(name): half of the runs fail at \(crossing); \(ends)."
            }
        case .passesEverywhere:
            text =
                "The command passes at both ends, \(request.from) and \(request.to); name an end "
                + "where it fails, with --from or --to."
        case .failsEverywhere:
            text =
                "The command fails at both ends, \(request.from) and \(request.to); name an end "
                + "where it passes, with --from or --to, and check the command itself."
            if runsWithoutNumber == runs {
                text =
                    "No run printed a number that --measure finds, so that all count as failed; check "
                    + "the expression, and what the command prints."
            }
        case .undecidedEnd:
            text =
                "At an end, some runs pass and some fail, so that it is neither good nor bad; move "
                + "--from or --to further away."
        case .turnsBack:
            text =
                "There is no single limit: the command passes, fails and passes again between "
                + "\(request.from) and \(request.to), as the table shows; search a smaller range."
        case .unknown:
            text = "The ends \(request.from) and \(request.to) are not decided yet."
        }
        switch earlyEnd {
        case "budget": text += " The budget is used up; with more time the answer is narrower."
        case "trials": text += " All runs are used up; with more --trials the answer is narrower."
        case "interrupted": text += " The search was interrupted."
        case "busy":
            text += " The machine was too busy for faithful runs; run fewer at once with --jobs 1."
        default: break
        }
        return text
    }

    /// How the runs were judged, for people.
    public var remarks: [String] {
        var remarks = [request.rule.explanation, test]
        if discardedRuns > 0 {
            remarks.append(
                "the machine was too busy for some runs, which were repeated: \(discardedRuns)")
        }
        if runsWithoutNumber > 0 {
            remarks.append("runs that printed no number count as failed: \(runsWithoutNumber)")
        }
        return remarks
    }
}
