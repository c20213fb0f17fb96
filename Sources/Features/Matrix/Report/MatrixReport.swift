public import FoundationEssentials
public import LinkModel

/// The result of a matrix: `report.json`.
///
/// The keys are a stable interface: see `Profiles/schema/report.schema.json`. Reports for people
/// are made from this value alone, so reports of merged shards or old files look the same.
public struct MatrixReport: Codable, Sendable, Hashable {
    /// The command that every cell ran: a program and its arguments.
    public var command: [String]
    /// The request, from which `--rerun-failed` starts.
    public var specification: MatrixSpecification
    /// Identifies the command and the request: only reports with the same digest can be merged; nil
    /// in reports of older versions.
    public private(set) var digest: String?
    /// When the matrix began.
    public var startedAt: Date
    /// The total duration.
    public var durationSeconds: Double
    /// Whether it ran to its end; false if it was interrupted or ended by the first failure.
    public var isFinished: Bool
    /// Where it ran.
    public var machine: Machine
    /// The part of a matrix that this is; nil: the whole.
    @OrNull public var shard: Shard?
    /// All cells that the matrix has to run, including those of other parts, in order; nil in
    /// reports of older versions.
    public private(set) var planned: [PlannedCell]?
    /// Notes for the reader about the whole matrix, such as that the machine was too busy.
    public var notes: [String]
    /// The cells in the requested order, the baseline first.
    public private(set) var cells: [CellReport]
    /// How many cells passed, including flaky ones.
    public private(set) var passed: Int
    /// How many cells failed, exceeded their time limit, could not run, or have no result.
    public private(set) var failed: Int
    /// How many of the passed cells needed more than one attempt.
    public private(set) var flaky: Int
    /// How many cells did not run to their end.
    public private(set) var notRun: Int

    /// Where a matrix ran.
    public struct Machine: Codable, Sendable, Hashable {
        /// The Linux kernel release.
        public var kernel: String
        /// The number of processors available.
        public var processors: Int
        /// How many cells ran at once.
        public var jobs: Int
        /// Its name; nil, as what follows, if unknown.
        public var host: String?
        /// The model of its processors.
        public var processor: String?
        /// The commit that was tested, as a CI engine names it or the Git repository around the
        /// working directory has it.
        public var commit: String?
        /// The version of linkcond.
        public var linkcond: String?
    }

    /// Makes a report and counts the cells.
    ///
    /// - Parameter planned: All cells that the matrix has to run; nil: those of the specification.
    public init(
        command: [String], specification: MatrixSpecification, startedAt: Date,
        durationSeconds: Double, isFinished: Bool,
        machine: Machine, shard: Shard? = nil, planned: [Cell]? = nil, notes: [String] = [],
        cells: [CellReport]
    ) {
        self.command = command
        self.specification = specification
        digest = specification.digest(of: command)
        self.startedAt = startedAt
        self.durationSeconds = durationSeconds
        self.isFinished = isFinished
        self.machine = machine
        _shard = OrNull(wrappedValue: shard)
        self.planned = (planned ?? specification.cells).map(PlannedCell.init)
        self.notes = notes
        self.cells = cells
        passed = cells.count { $0.status == .passed }
        failed = cells.count(where: \.isFailure)
        flaky = cells.count(where: \.isFlaky)
        notRun = cells.count { $0.status == .notRun }
    }

    /// Whether every requested cell passed.
    public var isSuccess: Bool { failed == 0 && notRun == 0 }

    private enum CodingKeys: String, CodingKey {
        case command, specification, digest, startedAt, durationSeconds
        case isFinished = "finished"
        case machine, shard, planned, notes, cells, passed, failed, flaky, notRun
    }
}

extension MatrixReport {
    /// Decodes the output of `json`.
    public init(json: some Sequence<UInt8>) throws {
        self = try MatrixJSON.decode(MatrixReport.self, from: json)
    }

    /// The report as JSON on one line.
    public func json() throws -> String { try MatrixJSON.text(self) }
}
