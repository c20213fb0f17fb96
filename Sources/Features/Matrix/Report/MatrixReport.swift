public import FoundationEssentials
public import LinkModel

/// What became of a matrix: `report.json`.
///
/// The keys are a promise: see `Profiles/schema/report.schema.json`. Reports for people are made
/// from this value alone, so that those of merged shards, or of an old file, look the same.
public struct MatrixReport: Codable, Sendable, Hashable {
    /// The command that every cell ran: a program and its arguments.
    public var command: [String]
    /// What was asked for, from which `--rerun-failed` starts.
    public var specification: MatrixSpecification
    /// When the matrix began.
    public var startedAt: Date
    /// How long the whole took.
    public var durationSeconds: Double
    /// Whether it came to its end; false if it was interrupted, or ended by the first failure.
    public var isFinished: Bool
    /// Where it ran.
    public var machine: Machine
    /// Which part of a matrix this is; nil: all of it.
    @OrNull public var shard: Shard?
    /// What the reader should know of the whole, such as that the machine was too busy.
    public var notes: [String]
    /// The cells in the order in which they were asked for, a baseline first.
    public private(set) var cells: [CellReport]
    /// How many cells passed, flaky ones included.
    public private(set) var passed: Int
    /// How many cells failed, ran too long, or could not run.
    public private(set) var failed: Int
    /// How many of those that passed needed more than one attempt.
    public private(set) var flaky: Int
    /// How many cells never came to their end.
    public private(set) var notRun: Int

    /// Where a matrix ran.
    public struct Machine: Codable, Sendable, Hashable {
        /// The release of the Linux kernel.
        public var kernel: String
        /// How many processors were there for it.
        public var processors: Int
        /// How many cells ran at once.
        public var jobs: Int

        /// Describes a machine.
        public init(kernel: String, processors: Int, jobs: Int) {
            self.kernel = kernel
            self.processors = processors
            self.jobs = jobs
        }
    }

    /// Gathers what is known, and counts the cells.
    public init(
        command: [String], specification: MatrixSpecification, startedAt: Date,
        durationSeconds: Double, isFinished: Bool,
        machine: Machine, shard: Shard? = nil, notes: [String] = [], cells: [CellReport]
    ) {
        self.command = command
        self.specification = specification
        self.startedAt = startedAt
        self.durationSeconds = durationSeconds
        self.isFinished = isFinished
        self.machine = machine
        _shard = OrNull(wrappedValue: shard)
        self.notes = notes
        self.cells = cells
        passed = cells.count { $0.status == .passed }
        failed = cells.count(where: \.isFailure)
        flaky = cells.count(where: \.isFlaky)
        notRun = cells.count { $0.status == .notRun }
    }

    /// The cell without conditions; nil if the matrix had none.
    public var baseline: CellReport? { cells.first(where: \.isBaseline) }

    /// Whether everything that was asked for passed.
    public var isSuccess: Bool { failed == 0 && notRun == 0 }

    private enum CodingKeys: String, CodingKey {
        case command, specification, startedAt, durationSeconds
        case isFinished = "finished"
        case machine, shard, notes, cells, passed, failed, flaky, notRun
    }
}

extension MatrixReport {
    /// Reads what `json` has written.
    public init(json: some Sequence<UInt8>) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        self = try decoder.decode(MatrixReport.self, from: Data(json))
    }

    /// The report as JSON on one line: indented, the samples would take most of it for blanks.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        // Without sorting, the order of keys changes from run to run.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}
