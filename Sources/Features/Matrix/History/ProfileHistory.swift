public import LinkModel
import LinkUnits

/// A profile or scenario over many reports.
public struct ProfileHistory: Codable, Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The cells of the profile in each report, in the order of the reports; nil where it has none
    /// that ran.
    public var points: [Point?]
    /// What the newest report expects of it.
    public var budgets: [Budget]
    /// The share of its cells that passed.
    @OrNull public private(set) var passRate: Double?
    /// The share of the reports in which the same conditions gave both results: a cell passed only
    /// after a failed attempt, or not all repetitions ended alike.
    @OrNull public private(set) var flakiness: Double?
    /// How often a report in which all cells passed is next to one in which some failed.
    public private(set) var changes: Int

    /// The cells of a profile in a report.
    public struct Point: Codable, Sendable, Hashable {
        /// How many cells passed, including flaky ones.
        public var passed = 0
        /// How many cells failed, including those without a result.
        public var failed = 0
        /// How many have no result.
        var missing = 0
        /// How many of the passed cells needed more than one attempt.
        public var flaky = 0
        /// How long the command took: the median of the cells that ran.
        @OrNull public var seconds: Double?
        /// How long it took without conditions.
        @OrNull public var baselineSeconds: Double?
        /// How many bytes passed over the link: the median.
        @OrNull public var transferredBytes: Double?
        /// How often the app asked something of the network: the median.
        @OrNull public var requests: Double?

        /// Whether the same conditions gave both results.
        public var isFlaky: Bool { flaky > 0 || passed > 0 && failed > missing }

        private enum CodingKeys: String, CodingKey {
            case passed, failed, flaky, seconds, baselineSeconds, transferredBytes, requests
        }
    }

    /// A limit in `linkcond.yaml`, and whether the reports keep within it.
    public struct Budget: Codable, Sendable, Hashable {
        /// What is limited.
        public enum Quantity: String, Codable, Sendable, Hashable {
            case duration, transferred, requests
        }

        /// What is limited.
        public var quantity: Quantity
        /// The limit as it is written in the file: `at most 3 x baseline`.
        public var text: String
        /// The limit in each report, in seconds, bytes or requests; nil where it is unknown, because the
        /// baseline did not pass.
        public var limits: [Double?] = []
        /// In how many of the reports it was not kept.
        public var missed = 0
    }

    init(name: String, points: [Point?], budgets: [LimitedQuantity]) {
        self.name = name
        self.points = points
        self.budgets = budgets.map { $0.budget(for: points) }
        let known = points.compactMap(\.self)
        let cells = known.reduce(0) { $0 + $1.passed + $1.failed }
        let passed = known.reduce(0) { $0 + $1.passed }
        _passRate = OrNull(wrappedValue: cells > 0 ? Double(passed) / Double(cells) : nil)
        _flakiness = OrNull(
            wrappedValue: known.isEmpty
                ? nil : Double(known.count(where: \.isFlaky)) / Double(known.count))
        changes = zip(known, known.dropFirst()).count { ($0.failed > 0) != ($1.failed > 0) }
    }
}

/// A budget of a profile before it is known how the reports kept it.
enum LimitedQuantity: Sendable, Hashable {
    case duration(DurationExpectation)
    case transferred(TransferExpectation)
    case requests(BoundSide, UInt64)

    fileprivate func budget(for points: [ProfileHistory.Point?]) -> ProfileHistory.Budget {
        let limits = points.map { $0.flatMap(limit) }
        var budget: ProfileHistory.Budget
        let values: [Double?]
        let side: BoundSide
        switch self {
        case .duration(let expectation):
            budget = ProfileHistory.Budget(quantity: .duration, text: expectation.description)
            (values, side) = (points.map { $0?.seconds }, expectation.side)
        case .transferred(let expectation):
            budget = ProfileHistory.Budget(quantity: .transferred, text: expectation.description)
            (values, side) = (points.map { $0?.transferredBytes }, expectation.side)
        case .requests(let bound, let limit):
            budget = ProfileHistory.Budget(
                quantity: .requests, text: "\(RequestExpectation.count(bound, limit))")
            (values, side) = (points.map { $0?.requests }, bound)
        }
        budget.limits = limits
        budget.missed = zip(values, limits).count { value, limit in
            guard let value, let limit else { return false }
            return !side.holds(value, limit)
        }
        return budget
    }

    private func limit(_ point: ProfileHistory.Point) -> Double? {
        switch self {
        case .duration(let expectation):
            switch expectation.limit {
            case .time(let time): time / .seconds(1)
            case .baseline(let factor): point.baselineSeconds.map { $0 * factor }
            }
        case .transferred(let expectation): Double(expectation.limit.bytes)
        case .requests(_, let limit): Double(limit)
        }
    }
}

/// A test over many reports, under all profiles.
public struct TestHistory: Codable, Sendable, Hashable {
    /// The class or the suite that it belongs to.
    public var suite: String
    /// Its name within the suite.
    public var name: String
    /// The profile under which it ran.
    public var profile: String
    /// Its results in each report; nil where it did not run.
    public var points: [Point?]
    /// Why it failed last; nil if no file says.
    @OrNull public var message: String? = nil

    /// The results of a test in a report.
    public struct Point: Codable, Sendable, Hashable {
        /// How often it passed.
        public var passed = 0
        /// How often it failed though it should not.
        public var failed = 0
        /// How often it passed only after a failed attempt.
        public var flaky = 0
        /// Why it failed.
        var message: String?

        /// Whether the same conditions gave both results.
        public var isFlaky: Bool { flaky > 0 || passed > 0 && failed > 0 }

        private enum CodingKeys: String, CodingKey {
            case passed, failed, flaky
        }
    }

    /// What identifies a test.
    struct Key: Sendable, Hashable {
        var suite: String
        var name: String
        var profile: String

        var text: String { "\(suite) \(name) \(profile)" }
    }

    init(_ key: Key, runs: Int) {
        (suite, name, profile) = (key.suite, key.name, key.profile)
        points = Array(repeating: nil, count: runs)
    }

    var key: Key { Key(suite: suite, name: name, profile: profile) }
    /// In how many reports it failed.
    public var failedRuns: Int { points.count { ($0?.failed ?? 0) > 0 } }
    /// In how many reports the same conditions gave both results.
    public var flakyRuns: Int { points.count { $0?.isFlaky == true } }
}
