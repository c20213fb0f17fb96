/// A test inside a cell, as a JUnit file of the command reports it.
///
/// Absent values are omitted in the JSON: a suite of thousands of tests is in every cell.
public struct TestReport: Codable, Sendable, Hashable {
    /// How a test ended.
    public enum Status: String, Codable, Sendable, Hashable, CaseIterable {
        case passed, failed, error, skipped
    }

    /// The class or the suite that it belongs to, such as `tests.test_api`.
    public var suite: String
    /// Its name within the suite, such as `test_login`.
    public var name: String
    /// How it ended.
    public var status: Status
    /// Whether it passed only after a failed attempt of its runner; nil: no.
    private var flaky: Bool?
    /// How long it took; nil if the file does not say.
    public var seconds: Double?
    /// Why it did not pass; nil if it passed, or if the file does not say.
    public var message: String?

    /// Longer messages are cut; `files/` has them whole.
    static let longestMessage = 1000
    /// The most tests of a cell in a report.
    static let mostTests = 10_000

    /// Describes a test.
    public init(
        suite: String, name: String, status: Status, isFlaky: Bool = false, seconds: Double? = nil,
        message: String? = nil
    ) {
        self.suite = suite
        self.name = name
        self.status = status
        flaky = isFlaky ? true : nil
        self.seconds = seconds
        self.message = message
    }

    /// Whether it passed only after a failed attempt of its runner.
    public var isFlaky: Bool { flaky ?? false }

    /// Whether it counts as a failure.
    public var isFailure: Bool { status == .failed || status == .error }
}

extension TestReport {
    /// Describes a test of a JUnit file.
    init(_ test: JUnitCase, in suite: JUnitSuite) {
        let kind = test.decisiveKind
        let status: Status =
            switch kind {
            case .error: .error
            case .failure: .failed
            case .skipped: .skipped
            default: .passed
            }
        let isFlaky =
            status == .passed
            && test.outcomes.contains { $0.kind == .flakyFailure || $0.kind == .flakyError }
        let reason = kind.flatMap { kind in test.outcomes.first { $0.kind == kind }?.reason }
        self.init(
            suite: test.className ?? suite.name, name: test.name, status: status,
            isFlaky: isFlaky, seconds: test.seconds,
            message: reason.map { String($0.prefix(Self.longestMessage)) })
    }
}

extension JUnitCase.Outcome {
    /// The message, or the first line of the text in files of tools that write no message.
    fileprivate var reason: String? {
        if let message, !message.isEmpty { return message }
        return text.split(whereSeparator: \.isNewline).lazy
            .map { $0.trimmingPrefix(while: \.isWhitespace) }.first { !$0.isEmpty }
            .map(String.init)
    }
}

extension CellReport {
    /// Lists the tests that the cell's command ran.
    mutating func list(_ collected: CollectedTests) {
        let all = collected.suites.flatMap { suite in
            suite.cases.lazy.map { TestReport($0, in: suite) }
        }
        guard !all.isEmpty else { return }
        guard all.count > TestReport.mostTests else {
            tests = all
            return
        }
        // What failed is missed most.
        let failures = all.indices.filter { all[$0].isFailure }
        let others = all.indices.filter { !all[$0].isFailure }
        let kept = (failures + others).prefix(TestReport.mostTests).sorted()
        tests = kept.map { all[$0] }
        notes.append(
            "the report lists \(TestReport.mostTests) of \(all.count) tests; junit.xml has all")
    }
}
