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

    /// Reads the options; nil: not given.
    public init(report: String?, resume: String?) throws(MatrixError) {
        switch (report, resume) {
        case (nil, nil): self = .nowhere
        case (let path?, nil): self = .report(path)
        case (nil, let path?): self = .resume(path)
        default:
            throw MatrixError(
                .usage, "--resume writes the report to its own directory; leave out --report")
        }
    }

    /// The directory in which a matrix may have begun.
    public var begunPath: String? {
        if case .resume(let path) = self { path } else { nil }
    }

    /// What is lost if a new matrix replaces one that is not finished, for people; nil: nothing.
    public var loss: String? {
        guard case .report(let path) = self,
            let report = try? ReportDirectory.unfinishedReport(at: path), report.notMissing > 0
        else { return nil }
        return "\(path) had \(report.notMissing) of \(report.cells.count) results of a matrix that "
            + "did not end, which this one replaces; --resume \(path) goes on with it"
    }

    /// The matrix that has begun there; nil if there is none.
    public func begun() throws(MatrixError) -> MatrixRecord? {
        guard let begunPath else { return nil }
        return try ReportDirectory.record(at: begunPath)
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
        }
    }
}

extension MatrixReport {
    /// How many cells have a result.
    fileprivate var notMissing: Int { cells.count(where: \.hasResult) }
}
