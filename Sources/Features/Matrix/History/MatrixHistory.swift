public import FoundationEssentials
import LinkModel

/// How the cells and tests of a matrix ended over many reports.
///
/// Theory of operation. Of each report only a summary is kept, so that hundreds fit into memory. The
/// newest decides which command this is the history of, and which budgets there are: reports of
/// other commands, and those that cannot be read, are named and left out.
public struct MatrixHistory: Codable, Sendable, Hashable {
    /// The command of all reports.
    public private(set) var command: [String]
    /// The reports, the oldest first.
    public private(set) var runs: [HistoryRun] = []
    /// The profiles and scenarios, in the order of the newest report.
    public private(set) var profiles: [ProfileHistory] = []
    /// The tests that failed or were flaky in a report, those that did so in the most first.
    public private(set) var tests: [TestHistory] = []
    /// What was left out, and why.
    public private(set) var notes: [String]

    /// The most tests of a history.
    private static let mostTests = 500

    /// Reads the reports in directories, in any order.
    ///
    /// - Throws: The problem of the first, if none can be read.
    public init(of directories: [String]) throws(MatrixError) {
        var summaries: [ReportSummary] = []
        var problems: [MatrixError] = []
        for directory in directories {
            do {
                summaries.append(
                    ReportSummary(try ReportDirectory.report(at: directory), name: directory))
            } catch {
                problems.append(error)
            }
        }
        if summaries.isEmpty {
            throw problems.first
                ?? MatrixError(.usage, "there is no report; name directories")
        }
        self.init(summaries, notes: problems.map { "left out: \($0)" })
    }

    /// Makes the history of summaries, of which there is at least one.
    init(_ summaries: [ReportSummary], notes: [String] = []) {
        let ordered = summaries.enumerated()
            .sorted {
                ($0.element.run.startedAt, $0.offset) < ($1.element.run.startedAt, $1.offset)
            }
            .map(\.element)
        command = ordered.last?.command ?? []
        self.notes = notes
        var kept: [ReportSummary] = []
        for summary in ordered {
            let name = summary.run.directory
            if summary.command != command {
                self.notes.append(
                    "left out: \(name): it is of another command, \(summary.command.shellText)")
            } else if let same = kept.last(where: { $0.isSame(as: summary) }) {
                self.notes.append(
                    "left out: \(name): it is the same report as \(same.run.directory)")
            } else {
                kept.append(summary)
            }
        }
        runs = kept.map(\.run)
        profiles = Self.profiles(of: kept)
        tests = Self.tests(of: kept)
    }

    private static func profiles(of summaries: [ReportSummary]) -> [ProfileHistory] {
        var names: [String] = []
        var known: Set<String> = []
        for summary in summaries.reversed() {
            names += summary.profiles.map(\.name).filter { known.insert($0).inserted }
        }
        let budgets = summaries.last?.budgets ?? [:]
        let byName = summaries.map { summary in
            Dictionary(
                summary.profiles.map { ($0.name, $0.point) },
                uniquingKeysWith: { first, _ in first })
        }
        return names.map { name in
            ProfileHistory(
                name: name, points: byName.map { $0[name] }, budgets: budgets[name] ?? [])
        }
    }

    private static func tests(of summaries: [ReportSummary]) -> [TestHistory] {
        var histories: [TestHistory.Key: TestHistory] = [:]
        for summary in summaries {
            for (key, point) in summary.tests where point.failed > 0 || point.isFlaky {
                var history = histories[key] ?? TestHistory(key, runs: summaries.count)
                history.message = point.message ?? history.message
                histories[key] = history
            }
        }
        for (number, summary) in summaries.enumerated() {
            for key in histories.keys {
                histories[key]?.points[number] = summary.tests[key]
            }
        }
        let ordered = histories.values.sorted { one, other in
            (-one.failedRuns, -one.flakyRuns, one.key.text)
                < (-other.failedRuns, -other.flakyRuns, other.key.text)
        }
        return Array(ordered.prefix(mostTests))
    }

    /// The history as JSON.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}

/// A report in a history.
public struct HistoryRun: Codable, Sendable, Hashable {
    /// Where it is, as the user named it.
    public var directory: String
    /// When the matrix began.
    public var startedAt: Date
    /// How long it took.
    public var durationSeconds: Double
    /// Whether it ran to its end.
    public var isFinished: Bool
    /// How many cells passed, including flaky ones.
    public var passed: Int
    /// How many cells failed.
    public var failed: Int
    /// How many of the passed cells needed more than one attempt.
    public var flaky: Int
    /// How many cells were not run.
    public var notRun: Int

    private enum CodingKeys: String, CodingKey {
        case directory, startedAt, durationSeconds
        case isFinished = "finished"
        case passed, failed, flaky, notRun
    }
}
