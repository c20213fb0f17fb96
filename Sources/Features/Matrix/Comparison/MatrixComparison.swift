public import FoundationEssentials

/// What changed between two reports of the same suite, such as those of two commits.
///
/// Repetitions of a profile are taken together: what both passed and failed is flaky, and a duration
/// has only changed if its values differ more than chance lets them.
public struct MatrixComparison: Codable, Sendable, Hashable {
    /// A row of the comparison: a profile, or a test under a profile.
    public struct Item: Codable, Sendable, Hashable {
        /// The profile or scenario.
        public var profile: String
        /// The suite of the test; nil: the item is the whole cell.
        public var suite: String?
        /// The test; nil: the item is the whole cell.
        public var test: String?
        /// How it ended before.
        public var before: Tally
        /// How it ended after.
        public var after: Tally
        /// What became of it; nil: it passes still.
        public var change: Change?
        /// Why it failed after, as its first failure says; nil if it did not.
        public var reason: String?
        /// Its quantities.
        public internal(set) var growth: [Growth]
    }

    /// The earlier report.
    public var before: Side
    /// The later report.
    public var after: Side
    /// Differences of the reports that have nothing to do with the suite, and may explain others.
    public var notes: [String]
    /// The cells by profile, in the order of the later report.
    public private(set) var cells: [Item]
    /// The tests by profile.
    public private(set) var tests: [Item]
    /// What breaks the rules, in sentences; empty: nothing.
    public internal(set) var regressions: [String] = []

    /// A report that was compared.
    public struct Side: Codable, Sendable, Hashable {
        /// Its path, as the user named it.
        public var name: String
        /// When the matrix began.
        public var startedAt: Date
        /// Where it ran.
        public var machine: MatrixReport.Machine
    }

    /// Compares two reports.
    public init(
        _ before: MatrixReport, named name: String, with after: MatrixReport,
        named otherName: String
    ) {
        self.before = Side(name: name, startedAt: before.startedAt, machine: before.machine)
        self.after = Side(name: otherName, startedAt: after.startedAt, machine: after.machine)
        notes = Self.notes(before, after)
        let first = Observations(before)
        var second = Observations(after)
        second.tests.notice(lostSince: first.tests)
        cells = second.cells.merged(after: first.cells)
        tests = second.tests.merged(after: first.tests)
        judge()
    }

    /// All items.
    public var items: [Item] { cells + tests }

    /// Only in view of all comparisons can be said which differences are more than chance.
    private mutating func judge() {
        let discoveries = Discoveries(
            items.flatMap { $0.growth.compactMap(\.probability) })
        for index in cells.indices { cells[index].judge(discoveries) }
        for index in tests.indices { tests[index].judge(discoveries) }
    }

    private static func notes(_ before: MatrixReport, _ after: MatrixReport) -> [String] {
        var notes: [String] = []
        func compare(_ name: String, _ first: String?, _ second: String?) {
            guard first != second else { return }
            notes.append("\(name): \(first ?? "unknown") before, \(second ?? "unknown") after")
        }
        compare("commit", before.machine.commit, after.machine.commit)
        compare("kernel", before.machine.kernel, after.machine.kernel)
        compare("host", before.machine.host, after.machine.host)
        compare("processor", before.machine.processor, after.machine.processor)
        compare("processors", "\(before.machine.processors)", "\(after.machine.processors)")
        compare("jobs at once", "\(before.machine.jobs)", "\(after.machine.jobs)")
        compare("command", before.command.shellText, after.command.shellText)
        var (first, second) = (before.specification, after.specification)
        // Chance differs in every matrix for which no seed was given.
        (first.seed, second.seed) = (0, 0)
        if first != second {
            let difference = MatrixDifference(("before", first), ("after", second))
            notes.append("the matrices differ: \(difference)")
        }
        for (name, report) in [("before", before), ("after", after)] {
            let busy = report.cells.count { $0.statistics?.isFaithful == false }
            if busy > 0 {
                notes.append(
                    "\(busy) cells \(name) ran on a machine that was too busy for exact results; "
                        + "their durations and bytes are left out")
            }
            if !report.isFinished { notes.append("the matrix \(name) was not finished") }
        }
        return notes
    }
}

extension MatrixComparison.Item {
    fileprivate mutating func judge(_ discoveries: Discoveries) {
        for index in growth.indices { growth[index].judge(discoveries) }
    }

    /// `LTE`, or `LTE: tests.test_api.test_login`.
    public var name: String {
        let path = [suite ?? "", test ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
        return path.isEmpty ? profile : "\(profile): \(path)"
    }
}

extension MatrixComparison {
    /// The comparison as JSON on one line, as `Profiles/schema/comparison.schema.json` describes it.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}
