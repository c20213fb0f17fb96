import LinkModel
public import LinuxKernel

/// Where a matrix keeps its results.
public enum MatrixPlace: Sendable, Hashable {
    /// Only in memory.
    case nowhere
    /// In a directory, in place of what an older matrix left there.
    case report(String)
    /// In a directory in which a matrix has begun, which goes on.
    case resume(String)
    /// In a directory that several workers share.
    case queue(String)

    /// Reads the options; nil: not given.
    public init(report: String?, resume: String?, queue: String? = nil) throws(MatrixError) {
        switch (report, resume, queue) {
        case (nil, nil, nil): self = .nowhere
        case (let path?, nil, nil): self = .report(path)
        case (nil, let path?, nil): self = .resume(path)
        case (nil, nil, let path?): self = .queue(path)
        case (_, nil, _):
            throw MatrixError(
                .usage, "--queue writes the report to its own directory; leave out --report")
        case (nil, _, _):
            throw MatrixError(
                .usage, "--queue goes on with what is in its directory; leave out --resume")
        default:
            throw MatrixError(
                .usage, "--resume writes the report to its own directory; leave out --report")
        }
    }

    /// The directory in which a matrix may have begun.
    public var begunPath: String? {
        switch self {
        case .nowhere, .report: nil
        case .resume(let path), .queue(let path): path
        }
    }

    /// Whether several workers share the cells.
    public var isQueue: Bool {
        if case .queue = self { true } else { false }
    }

    /// Checks that the results do not go where the report is whose failed cells run again: that one
    /// would be lost, with the results of all others.
    public func expectNot(_ earlier: String) throws(MatrixError) {
        guard case .report(let path) = self,
            ReportDirectory.isSame(path, as: earlier)
        else { return }
        throw MatrixError(
            .usage,
            "\(path) has the report whose failed cells run again, which would be lost; choose another "
                + "directory, and have linkcond matrix merge put both together")
    }

    /// What is lost if a new matrix replaces one that is not finished, for people; nil: nothing.
    public var loss: String? {
        guard case .report(let path) = self,
            (try? ReportDirectory.record(at: path))??.isQueue == false,
            let report = try? ReportDirectory.unfinishedReport(at: path), report.notMissing > 0
        else { return nil }
        return "\(path) had \(report.notMissing) of \(report.cells.count) results of a matrix that "
            + "did not end, which this one replaces; --resume \(path) goes on with it"
    }

    /// The matrix that has begun there; nil if there is none.
    public func begun() throws(MatrixError) -> MatrixRecord? {
        guard let begunPath, let record = try ReportDirectory.record(at: begunPath) else {
            return nil
        }
        if isQueue {
            try record.expectQueue(at: begunPath)
        } else if record.isQueue {
            throw MatrixError(
                .usage, "\(begunPath) is a work queue; join it with --queue \(begunPath)")
        }
        return record
    }

    /// Opens the directory; nil if there is none.
    ///
    /// - Parameter owner: The owner of new files; nil: the caller.
    public func open(
        _ record: MatrixRecord, owner: Program.Identity?
    ) throws(MatrixError) -> MatrixStore? {
        switch self {
        case .nowhere: nil
        case .report(let path): try .begin(record, at: path, owner: owner)
        case .resume(let path):
            try ReportDirectory.record(at: path) == nil
                ? .begin(record, at: path, owner: owner) : .resume(at: path, owner: owner)
        case .queue(let path): try .join(record, at: path, owner: owner)
        }
    }
}

extension MatrixReport {
    /// How many cells have a result.
    var notMissing: Int { cells.count(where: \.hasResult) }
}
