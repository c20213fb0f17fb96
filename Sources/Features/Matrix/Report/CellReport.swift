public import LinkModel
import LinkUnits
public import Recording

/// What became of a cell: the command under the conditions of one profile.
public struct CellReport: Codable, Sendable, Hashable {
    /// How a cell ended.
    public enum Status: String, Codable, Sendable, Hashable, CaseIterable {
        /// The command did what was expected of it.
        case passed
        /// It did not.
        case failed
        /// It ran longer than it may.
        case timedOut = "timed-out"
        /// It could not be run at all.
        case error
        /// It was not run, or not to its end: the matrix was ended before.
        case notRun = "not-run"
    }

    /// What tells it from the other cells, such as `LTE` or `LTE/2`.
    public var id: String
    /// The name of the profile, as the user wrote it; `baseline` for the cell without conditions.
    public var profile: String
    /// The scenario; nil: the conditions did not change.
    @OrNull public var scenario: String?
    /// Which of its repetitions it is, from 1.
    public var repetition: Int
    /// Whether it ran without conditions, for comparison.
    public var isBaseline: Bool
    /// The conditions, for people.
    public var conditions: ConditionSummary
    /// How it ended.
    public var status: Status
    /// Why it did not pass, in one sentence; nil if it did.
    @OrNull public var problem: String?
    /// Whether it passed only after it had failed.
    public var isFlaky: Bool
    /// The command's exit code; nil if there is none.
    @OrNull public var exitCode: Int32?
    /// When its last attempt began, counted from the beginning of the matrix.
    public var startedSeconds: Double
    /// How long the command ran in the last attempt; without building the network.
    public var durationSeconds: Double
    /// How long the command ran without conditions on the same machine, the median of the
    /// repetitions that passed; nil if there is none.
    @OrNull public var baselineSeconds: Double?
    /// Decides the fate of the packets of the last attempt; nil where the kernel rolled the dice.
    @OrNull public var seed: UInt64?
    /// The words that run the cell again by itself, from `linkcond` on.
    public var reproduce: [String]
    /// What the command printed in the last attempt; nil if it did not run.
    @OrNull public var log: LogFile?
    /// The directory with what the command wrote to `$LINKCOND_OUTPUT` in the last attempt,
    /// relative to that of the report, such as `files/LTE`; nil if it left nothing.
    @OrNull public var files: String?
    /// What was expected of it, and what came.
    public var expectations: [ExpectationResult]
    /// What passed over the link in the last attempt; nil if that is not known.
    @OrNull public var statistics: CellStatistics?
    /// The link over time in the last attempt, a few hundred samples at most.
    public var samples: [LinkSample]
    /// All interfaces over time in the last attempt, with what the scenario did to them; nil of a
    /// cell without a scenario, and then not in the JSON either.
    public var timeline: TimelineRecord?
    /// Attempts before the last.
    public var earlierAttempts: [AttemptReport]
    /// What the reader should know, such as that the machine was too busy.
    public var notes: [String]

    /// Describes a cell that has not been run.
    public init(
        id: String, profile: String, repetition: Int, isBaseline: Bool,
        conditions: ConditionSummary, seed: UInt64?, reproduce: [String]
    ) {
        self.id = id
        self.profile = profile
        self.repetition = repetition
        self.isBaseline = isBaseline
        self.conditions = conditions
        self.reproduce = reproduce
        status = .notRun
        isFlaky = false
        startedSeconds = 0
        durationSeconds = 0
        expectations = []
        samples = []
        earlierAttempts = []
        notes = []
        _seed = OrNull(wrappedValue: seed)
        _scenario = OrNull(wrappedValue: nil)
        _problem = OrNull(wrappedValue: nil)
        _exitCode = OrNull(wrappedValue: nil)
        _baselineSeconds = OrNull(wrappedValue: nil)
        _log = OrNull(wrappedValue: nil)
        _files = OrNull(wrappedValue: nil)
        _statistics = OrNull(wrappedValue: nil)
    }

    /// Whether something was wrong; a cell that was not run is neither right nor wrong.
    public var isFailure: Bool {
        switch status {
        case .failed, .timedOut, .error: true
        case .passed, .notRun: false
        }
    }

    private enum CodingKeys: String, CodingKey {
        case id, profile, scenario
        case repetition = "repeat"
        case isBaseline = "baseline"
        case conditions, status, problem
        case isFlaky = "flaky"
        case exitCode, startedSeconds, durationSeconds, baselineSeconds, seed, reproduce, log, files
        case expectations
        case statistics, samples, timeline, earlierAttempts, notes
    }
}

/// The conditions of a cell in words, such as `50 Mbit/s, delay 50 ms`.
public struct ConditionSummary: Codable, Sendable, Hashable {
    /// Toward the app.
    public var down: String
    /// From the app.
    public var up: String

    /// Describes both directions.
    public init(down: String, up: String) {
        self.down = down
        self.up = up
    }
}

/// An attempt at a cell that was followed by another.
public struct AttemptReport: Codable, Sendable, Hashable {
    /// How it ended.
    public var status: CellReport.Status
    /// Why it did not pass.
    @OrNull public var problem: String?
    /// The command's exit code; nil if there is none.
    @OrNull public var exitCode: Int32?
    /// How long the command ran.
    public var durationSeconds: Double
    /// Decides the fate of the packets; nil where the kernel rolled the dice.
    @OrNull public var seed: UInt64?
    /// What the command printed.
    @OrNull public var log: LogFile?
    /// The directory with what it wrote to `$LINKCOND_OUTPUT`, relative to that of the report; nil
    /// if it left nothing.
    @OrNull public var files: String?

    /// Describes an attempt by the cell as it was then.
    public init(_ cell: CellReport) {
        status = cell.status
        durationSeconds = cell.durationSeconds
        _problem = OrNull(wrappedValue: cell.problem)
        _exitCode = OrNull(wrappedValue: cell.exitCode)
        _seed = OrNull(wrappedValue: cell.seed)
        _log = OrNull(wrappedValue: cell.log)
        _files = OrNull(wrappedValue: cell.files)
    }
}

/// What a command printed, standard output and standard error together, byte for byte.
public struct LogFile: Codable, Sendable, Hashable {
    /// The file, relative to the directory of the report, such as `logs/LTE.log`.
    public var path: String
    /// How many bytes were printed.
    public var printedBytes: UInt64
    /// How many of them are left out in the middle of the file, where a line says so.
    public var omittedBytes: UInt64

    /// Names a file.
    public init(path: String, printedBytes: UInt64, omittedBytes: UInt64) {
        self.path = path
        self.printedBytes = printedBytes
        self.omittedBytes = omittedBytes
    }
}

/// Something that was expected of a cell, and what came.
public struct ExpectationResult: Codable, Sendable, Hashable {
    /// What was expected, as in the file: `duration: at most 3 x baseline`.
    public var expected: String
    /// What came: `4.2 x baseline (12.6 s)`.
    public var actual: String
    /// Whether it was as expected.
    public var isMet: Bool

    /// States a result.
    public init(expected: String, actual: String, isMet: Bool) {
        self.expected = expected
        self.actual = actual
        self.isMet = isMet
    }

    private enum CodingKeys: String, CodingKey {
        case expected, actual
        case isMet = "met"
    }
}

/// What passed over the link of a cell.
public struct CellStatistics: Codable, Sendable, Hashable {
    /// What carried out the conditions: `engine` or `kernel`.
    public var backend: DataPlaneKind
    /// Whether the link did what the profile says and nothing else; nil where nobody knows.
    @OrNull public var isFaithful: Bool?
    /// Toward the app.
    public var down: DirectionCounters
    /// From the app.
    public var up: DirectionCounters

    /// Takes over what a run says of its link.
    public init(_ link: LinkStatistics) {
        backend = link.backend
        _isFaithful = OrNull(wrappedValue: link.isFaithful)
        down = link.down
        up = link.up
    }

    /// The bytes delivered in both directions, IP headers included.
    public var transferredBytes: UInt64 { down.bytes.bytes.addingSaturated(up.bytes.bytes) }

    private enum CodingKeys: String, CodingKey {
        case backend
        case isFaithful = "faithful"
        case down, up
    }
}
