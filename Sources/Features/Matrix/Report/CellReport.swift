public import LinkModel
import LinkUnits
public import Recording

/// The result of a cell: the command under the conditions of one profile.
public struct CellReport: Codable, Sendable, Hashable {
    /// How a cell ended.
    public enum Status: String, Codable, Sendable, Hashable, CaseIterable {
        /// The command met the expectations.
        case passed
        /// The command did not meet the expectations.
        case failed
        /// The command exceeded its time limit.
        case timedOut = "timed-out"
        /// The command could not be run.
        case error
        /// The command did not run, or not to its end, because the matrix was ended.
        case notRun = "not-run"
        /// No report has its result: the machine that should have run it was lost.
        case missing
    }

    /// The unique name, such as `LTE` or `LTE/2`.
    public var id: String
    /// The name of the profile, as the user wrote it; `baseline` for the cell without conditions.
    public var profile: String
    /// The scenario; nil: the conditions did not change.
    @OrNull public var scenario: String? = nil
    /// The number of the repetition, from 1.
    public var repetition: Int
    /// Whether it ran without conditions, for comparison.
    public var isBaseline: Bool
    /// The conditions, for people.
    public var conditions: ConditionSummary
    /// How it ended.
    public var status = Status.notRun
    /// Why it did not pass, in one sentence; nil if it passed.
    @OrNull public var problem: String? = nil
    /// Whether it passed only after an attempt that failed on a machine with enough time for it.
    public var isFlaky = false
    /// The command's exit code; nil if there is none.
    @OrNull public var exitCode: Int32? = nil
    /// When its last attempt began, from the start of the matrix.
    public var startedSeconds = 0.0
    /// How long the command ran in the last attempt, without the setup of the network.
    public var durationSeconds = 0.0
    /// How long the command ran without conditions on the same machine: the median of the
    /// repetitions that passed; nil if none did.
    @OrNull public var baselineSeconds: Double? = nil
    /// The seed of the last attempt; nil if the kernel drew the random numbers.
    @OrNull public var seed: UInt64? = nil
    /// The command line that runs this cell alone, starting with `linkcond`.
    public var reproduce: [String]
    /// The output of the command in the last attempt; nil if it did not run.
    @OrNull public var log: LogFile? = nil
    /// The directory of files that the command wrote to `$LINKCOND_OUTPUT` in the last attempt,
    /// relative to the report's directory, such as `files/LTE`; nil if it wrote none.
    @OrNull public var files: String? = nil
    /// The tests that the command ran in the last attempt, from its JUnit files; nil, and absent in
    /// the JSON, if there are none.
    public var tests: [TestReport]?
    /// The expectations and their results.
    public var expectations: [ExpectationResult] = []
    /// The traffic on the link in the last attempt; nil if unknown.
    @OrNull public var statistics: CellStatistics? = nil
    /// The link over time in the last attempt, at most a few hundred samples.
    public var samples: [LinkSample] = []
    /// All interfaces over time in the last attempt, with the scenario's events; nil, and absent in
    /// the JSON, for a cell without a scenario.
    public var timeline: TimelineRecord?
    /// The attempts before the last.
    public var earlierAttempts: [AttemptReport] = []
    /// Notes for the reader, such as that the machine was too busy.
    public var notes: [String] = []

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
        self.seed = seed
    }

    /// Whether it counts as a failure; a cell that was not run is neither passed nor failed.
    public var isFailure: Bool {
        switch status {
        case .failed, .timedOut, .error, .missing: true
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
        case tests, expectations
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

/// An attempt at a cell that was followed by another one.
public struct AttemptReport: Codable, Sendable, Hashable {
    /// How it ended.
    public var status: CellReport.Status
    /// Why it did not pass.
    @OrNull public var problem: String?
    /// The command's exit code; nil if there is none.
    @OrNull public var exitCode: Int32?
    /// How long the command ran.
    public var durationSeconds: Double
    /// Whether the machine kept up with the emulation and the command; nil if unknown.
    public var isFaithful: Bool?
    /// The seed; nil if the kernel drew the random numbers.
    @OrNull public var seed: UInt64?
    /// The output of the command.
    @OrNull public var log: LogFile?
    /// The directory of files that it wrote to `$LINKCOND_OUTPUT`, relative to the report's
    /// directory; nil if it wrote none.
    @OrNull public var files: String?
    /// The tests that it ran; nil, and absent in the JSON, if there are none.
    public var tests: [TestReport]?

    private enum CodingKeys: String, CodingKey {
        case status, problem, exitCode, durationSeconds
        case isFaithful = "faithful"
        case seed, log, files
    }

    /// Archives the cell's current attempt.
    public init(_ cell: CellReport) {
        status = cell.status
        durationSeconds = cell.durationSeconds
        isFaithful = cell.statistics?.isFaithful
        _problem = OrNull(wrappedValue: cell.problem)
        _exitCode = OrNull(wrappedValue: cell.exitCode)
        _seed = OrNull(wrappedValue: cell.seed)
        _log = OrNull(wrappedValue: cell.log)
        _files = OrNull(wrappedValue: cell.files)
        tests = cell.tests
    }
}

/// The output of a command, standard output and standard error together, byte for byte.
public struct LogFile: Codable, Sendable, Hashable {
    /// The path relative to the report's directory, such as `logs/LTE.log`.
    public var path: String
    /// How many bytes were printed.
    public var printedBytes: UInt64
    /// How many of them are omitted in the middle of the file, where a line says so.
    public var omittedBytes: UInt64
}

/// An expectation of a cell and its result.
public struct ExpectationResult: Codable, Sendable, Hashable {
    /// The expectation as written in the file: `duration: at most 3 x baseline`.
    public var expected: String
    /// The actual value: `4.2 x baseline (12.6 s)`.
    public var actual: String
    /// Whether the expectation is met.
    public var isMet: Bool

    private enum CodingKeys: String, CodingKey {
        case expected, actual
        case isMet = "met"
    }
}

/// The traffic on the link of a cell.
public struct CellStatistics: Codable, Sendable, Hashable {
    /// The data plane: `engine` or `kernel`.
    public var backend: DataPlaneKind
    /// Whether the link did exactly what the profile says; nil if unknown.
    @OrNull public var isFaithful: Bool?
    /// The processor time of the command and of servers; nil if unknown.
    public var processor: ProcessorUse?
    /// How often the app asked something of the network; nil if not counted.
    public var requests: UInt64?
    /// Toward the app.
    public var down: DirectionCounters
    /// From the app.
    public var up: DirectionCounters

    /// Copies a run's statistics of its link.
    public init(_ link: LinkStatistics) {
        backend = link.backend
        _isFaithful = OrNull(wrappedValue: link.isFaithful)
        processor = link.processor
        requests = link.requests
        down = link.down
        up = link.up
    }

    /// The bytes delivered in both directions, including IP headers.
    public var transferredBytes: UInt64 { down.bytes.bytes.addingSaturated(up.bytes.bytes) }

    private enum CodingKeys: String, CodingKey {
        case backend
        case isFaithful = "faithful"
        case processor, requests, down, up
    }
}
