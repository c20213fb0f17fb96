import FoundationEssentials
import LinkModel

/// The request of a matrix, as it stands in its directory before the first cell: `matrix.json`.
///
/// With it, and with a `CellRecord` of each finished cell, a matrix that was killed goes on where it
/// stopped, and other machines join it.
public struct MatrixRecord: Codable, Sendable, Hashable {
    /// The version of this file's format, and of the cells'.
    private(set) var format = Self.currentFormat
    /// Identifies the command and the specification.
    let digest: String
    /// The command that every cell runs.
    public let command: [String]
    /// The request.
    public let specification: MatrixSpecification
    /// When the matrix began.
    let startedAt: Date
    /// All cells that the matrix has to run, here or elsewhere, in order.
    let planned: [PlannedCell]
    /// The part that runs here; nil: the whole.
    public let shard: Shard?
    /// The cells of that part.
    let own: [String]?
    /// How many cells run at once; nil: unset.
    public let jobs: Int?
    /// Which files of a cell are JUnit files; nil: every file that is one.
    public let pattern: String?
    /// How long a silent worker keeps its cells; nil: this is no work queue.
    let leaseSeconds: Double?
    /// Where it was started.
    let workingDirectory: String

    static let fileName = "matrix.json"
    static let currentFormat = 1
    /// Larger than any request.
    static let sizeLimit = 64 << 20

    /// Records a request.
    ///
    /// - Parameters:
    ///   - planned: All cells that the matrix has to run.
    ///   - own: Those that run here.
    ///   - lease: How long a silent worker keeps its cells; nil: this is no work queue.
    public init(
        command: [String], specification: MatrixSpecification, planned: [Cell], own: [Cell],
        shard: Shard? = nil, jobs: Int? = nil, collecting pattern: String? = nil,
        lease: Duration? = nil
    ) {
        digest = specification.digest(of: command)
        self.command = command
        self.specification = specification
        startedAt = Date()
        self.planned = planned.map(PlannedCell.init)
        self.shard = shard
        self.own = shard.map { _ in own.map(\.id) }
        self.jobs = jobs
        self.pattern = pattern
        leaseSeconds = lease.map { $0 / .seconds(1) }
        workingDirectory = FileManager.default.currentDirectoryPath
    }

    /// Whether several workers share the cells.
    public var isQueue: Bool { leaseSeconds != nil }

    /// All cells that the matrix has to run, in order.
    public var plannedCells: [Cell] { specification.cells(planned) }

    /// Those that run here.
    public var ownCells: [Cell] {
        guard let own else { return plannedCells }
        let names = Set(own)
        return plannedCells.filter { names.contains($0.id) }
    }

    /// That the command will run in another directory than it began in, if so.
    public var change: String? {
        let here = FileManager.default.currentDirectoryPath
        guard !isQueue, workingDirectory != here else { return nil }
        return "the matrix began in \(workingDirectory); its command now runs in \(here)"
    }

    /// Checks that this is the matrix that was asked for.
    ///
    /// - Parameter path: Its directory, for the message.
    public func expectSame(
        command: [String], _ specification: MatrixSpecification, at path: String
    ) throws(MatrixError) {
        guard command == self.command else {
            throw MatrixError(
                .usage,
                "\(path) is of another command: \(self.command.shellText); leave the "
                    + "command out to go on with it, or choose another directory")
        }
        guard specification.digest(of: command) == digest else {
            let difference = MatrixDifference(
                (path, self.specification), ("this request", specification))
            throw MatrixError(
                .usage,
                "\(path) is of another matrix: \(difference); leave these options out to go on "
                    + "with it, or choose another directory")
        }
    }

    /// Checks that several workers may share the cells.
    func expectQueue(at path: String) throws(MatrixError) {
        guard isQueue else {
            throw MatrixError(
                .usage,
                "\(path) has a matrix that is no work queue; go on with it with --resume, or "
                    + "choose another directory")
        }
    }

    /// Decodes the content of the file at `path`.
    init(json: [UInt8], path: String) throws(MatrixError) {
        guard let record = try? MatrixJSON.decode(MatrixRecord.self, from: json) else {
            let format = try? MatrixJSON.decode(FormatNumber.self, from: json).format
            throw MatrixError(.badFile, FormatNumber.problem(of: path, format: format))
        }
        self = record
        guard format == Self.currentFormat else {
            throw MatrixError(.badFile, FormatNumber.problem(of: path, format: format))
        }
        if let problem = specification.problem {
            throw MatrixError(.badFile, "\(path): \(problem)")
        }
        guard digest == specification.digest(of: command),
            (0...MatrixReport.longestSeconds).contains(startedAt.timeIntervalSince1970),
            planned.count <= MatrixSpecification.mostCells,
            leaseSeconds.map({ (0...Self.longestLease / .seconds(1)).contains($0) }) != false
        else { throw MatrixError(.badFile, FormatNumber.problem(of: path, format: nil)) }
    }

    /// Nobody waits longer for a worker.
    public static let longestLease = Duration.seconds(86_400)
}

/// The format of a file of which nothing else is known.
struct FormatNumber: Decodable {
    let format: Int

    /// Why a file cannot be used.
    static func problem(of path: String, format: Int?) -> String {
        guard let format, format != MatrixRecord.currentFormat else {
            return "\(path): not a file of linkcond matrix, or not a whole one"
        }
        return
            "\(path): was written by another version of linkcond (format \(format), and this one "
            + "reads \(MatrixRecord.currentFormat)); use that version, or choose another directory"
    }
}
