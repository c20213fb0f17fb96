import Glibc

/// Wald's sequential probability ratio test: whether a command passes or fails at a point.
///
/// It decides between "fails" (at most `failing` of the runs pass) and "passes" (at least `passing`
/// do). Each run adds the logarithm of its likelihood ratio; the test ends when the sum leaves the
/// limits of Wald (1945), and then errs at most as often as `error` says, either way. A point where
/// about half of the runs pass stays undecided for long, so the number of runs is limited.
public enum SequentialTest {
    /// The share of runs that pass where the command fails, at most.
    public static let failing = 0.2
    /// The share of runs that pass where the command passes, at least.
    public static let passing = 0.8
    /// How often it takes one for the other: alpha and beta.
    public static let error = 0.05
    /// After so many runs, a point without a decision is left undecided.
    public static let mostRuns = 15

    /// How many more runs have to go one way than the other: both shares are equally far from half,
    /// so only the difference counts.
    public static let lead = Int(
        (log((1 - error) / error) / log(passing / (1 - passing))).rounded(.up))

    /// What the test says about a point.
    public enum Verdict: String, Sendable, Hashable, Codable {
        case passes, fails, undecided

        /// The other decision.
        var opposite: Verdict {
            switch self {
            case .passes: .fails
            case .fails: .passes
            case .undecided: .undecided
            }
        }
    }

    /// Decides; nil: another run is needed.
    public static func verdict(passed: Int, failed: Int) -> Verdict? {
        if passed - failed >= lead { return .passes }
        if failed - passed >= lead { return .fails }
        return passed + failed >= mostRuns ? .undecided : nil
    }

    /// How many more runs a point needs at least.
    static func leastRuns(passed: Int, failed: Int) -> Int {
        verdict(passed: passed, failed: failed) == nil ? lead - abs(passed - failed) : 0
    }

    /// The test in words.
    public static var explanation: String {
        "each point is repeated until Wald's sequential test decides between at most "
            + "\(percent(failing)) and at least \(percent(passing)) of the runs passing, with "
            + "\(percent(error)) of errors either way: until \(lead) more runs go one way than the "
            + "other, or it is undecided after \(mostRuns)"
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded()))%" }
}
