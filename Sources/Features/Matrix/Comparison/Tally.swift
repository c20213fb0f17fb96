/// How the repetitions of a cell or of a test ended.
public struct Tally: Codable, Sendable, Hashable {
    /// How many passed at once.
    public private(set) var passed = 0
    /// How many failed.
    public private(set) var failed = 0
    /// How many passed only after an attempt that failed.
    public private(set) var flaky = 0
    /// How many have no result.
    public private(set) var missing = 0
    /// How many were skipped.
    public private(set) var skipped = 0

    /// What all of them together say.
    public enum State: String, Codable, Sendable, Hashable {
        case passed, failed, flaky, missing, skipped
    }

    /// The state; nil if there is nothing to say.
    public var state: State? {
        if flaky > 0 || passed > 0 && failed > 0 { return .flaky }
        if failed > 0 { return .failed }
        if passed > 0 { return .passed }
        if missing > 0 { return .missing }
        return skipped > 0 ? .skipped : nil
    }

    /// Begins with nothing.
    init() {}

    mutating func add(_ cell: CellReport) {
        switch cell.status {
        case .passed: if cell.isFlaky { flaky += 1 } else { passed += 1 }
        case .failed, .timedOut, .error: failed += 1
        case .notRun, .missing: missing += 1
        }
    }

    mutating func add(_ test: TestReport) {
        switch test.status {
        case .passed: if test.isFlaky { flaky += 1 } else { passed += 1 }
        case .failed, .error: failed += 1
        case .skipped: skipped += 1
        }
    }

    /// Adds a cell of which the report says only that it was planned.
    mutating func addMissing() { missing += 1 }
}
