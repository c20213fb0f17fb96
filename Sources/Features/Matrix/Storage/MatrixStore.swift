import FoundationEssentials
import LinkModel
public import LinuxKernel
import Recording
import SystemPackage

/// The directory of a matrix while it runs: every finished cell is there at once, so that nothing is
/// lost however the matrix ends.
///
/// Theory of operation. `matrix.json` has the request. Each finished cell has a file in `cells/`
/// that appears with its whole content, because it gets its name last. The reports are made at the
/// end. A matrix that is resumed reads all of this, and runs what has no result. The lock of
/// `matrix.json` keeps a second matrix out; several workers of a queue do not need it.
public final class MatrixStore: Sendable {
    /// The directory, also for the reports.
    public let directory: ReportDirectory
    /// The request.
    public let record: MatrixRecord
    /// The kind of this machine.
    let machineKind = MachineKind.current
    private let lock: OwnedDescriptor?

    init(
        _ directory: ReportDirectory, _ record: MatrixRecord, lock: consuming OwnedDescriptor? = nil
    ) {
        self.directory = directory
        self.record = record
        self.lock = lock
    }

    /// Begins a matrix in the directory at `path`, from which what an older one left is removed.
    ///
    /// - Parameter owner: The owner of new files; nil: the caller.
    public static func begin(
        _ record: MatrixRecord, at path: String, owner: Program.Identity? = nil
    ) throws(MatrixError) -> MatrixStore {
        let directory = try ReportDirectory(creating: path, owner: owner)
        // From here on, what has the name of a cell is of this matrix.
        if let name = directory.fileNames(of: record.plannedCells, in: [ReportDirectory.filesName])
            .first
        {
            throw MatrixError(
                .cannotWrite,
                "\(path)/\(name) is there and of no report of linkcond matrix; move it, or choose "
                    + "another directory")
        }
        try directory.makeDirectory(CellRecord.directoryName)
        guard try directory.writeFirst(record) else {
            throw MatrixError(
                .cannotWrite,
                "cannot write \(path): another matrix has just begun there; choose another directory"
            )
        }
        return MatrixStore(directory, record, lock: try directory.lock())
    }

    /// Goes on with the matrix in the directory at `path`.
    public static func resume(
        at path: String, owner: Program.Identity? = nil
    ) throws(MatrixError) -> MatrixStore {
        let directory = try ReportDirectory(opening: path, owner: owner)
        let lock = try directory.lock()
        // What is written now was not written whole, and the reports are of before.
        try directory.removeLeftovers()
        let record = try directory.record()
        try directory.removeFiles(ofUnfinished: record)
        return MatrixStore(directory, record, lock: lock)
    }

    /// The directory at `path` to make reports of a matrix that is not finished, or of a work
    /// queue; nil if it is neither.
    public static func reporting(at path: String) throws(MatrixError) -> MatrixStore? {
        guard try ReportDirectory.unfinishedReport(at: path) != nil else { return nil }
        let directory = try ReportDirectory(opening: path)
        return MatrixStore(directory, try directory.record())
    }

    /// A report with more results than `report`, which workers may have written meanwhile: the
    /// last report to be written must have all.
    public func newer(than report: MatrixReport) -> MatrixReport? {
        guard record.isQueue, !report.isFinished else { return nil }
        let newer = MatrixReport(record, load())
        return newer.notMissing > report.notMissing ? newer : nil
    }

    /// All results on disk.
    func load() -> StoredCells { directory.storedCells(of: record) }

    /// Writes the result of a cell.
    ///
    /// - Parameters:
    ///   - name: The file's name, without `.json`.
    ///   - isLasting: Whether to wait until it is on the medium.
    func save(_ result: CellRecord, as name: String, isLasting: Bool) throws(MatrixError) {
        try directory.write(
            try Self.json(result), to: "\(CellRecord.directoryName)/\(name)\(StoredCells.suffix)",
            isLasting: isLasting)
    }

    static func json(_ value: some Encodable) throws(MatrixError) -> String {
        do {
            return try MatrixJSON.text(value)
        } catch {
            throw MatrixError(.internalFault, "cannot encode a result: \(error)")
        }
    }
}

extension ReportDirectory {
    /// The request of the matrix in the directory at `path`; nil if none has begun there.
    static func record(at path: String) throws(MatrixError) -> MatrixRecord? {
        guard let (record, _) = try begun(at: path) else { return nil }
        return record
    }

    /// The report of what is on disk of a matrix without one; nil if there is one, or none has
    /// begun.
    ///
    /// One that was made while the matrix ran may have fewer results.
    static func unfinishedReport(at path: String) throws(MatrixError) -> MatrixReport? {
        guard let (record, contents) = try begun(at: path) else { return nil }
        let stored = { MatrixReport(record, StoredCells(of: record, in: contents, path: path)) }
        guard !record.isQueue, contents.has(reportName) else { return stored() }
        let bytes = try? contents.read(reportName, limit: reportLimit)
        guard let bytes, let written = try? MatrixReport(json: bytes), !written.isFinished else {
            return nil
        }
        let found = stored()
        return found.notMissing > written.notMissing ? found : nil
    }

    private static func begun(
        at path: String
    ) throws(MatrixError) -> (record: MatrixRecord, contents: ContainedDirectory)? {
        let contents: ContainedDirectory
        do {
            contents = try ContainedDirectory(path)
        } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
            return nil
        } catch {
            throw MatrixError(.cannotRead, "cannot read \(path): \(error)")
        }
        guard contents.has(MatrixRecord.fileName) else { return nil }
        return (try record(in: contents, path: path), contents)
    }

    /// The request of the matrix in this directory.
    func record() throws(MatrixError) -> MatrixRecord {
        try Self.record(in: contents, path: path)
    }

    private static func record(
        in contents: ContainedDirectory, path: String
    ) throws(MatrixError) -> MatrixRecord {
        let file = "\(path)/\(MatrixRecord.fileName)"
        let bytes: [UInt8]
        do {
            bytes = try contents.read(MatrixRecord.fileName, limit: MatrixRecord.sizeLimit)
        } catch {
            throw MatrixError(.cannotRead, "cannot read \(file): \(error)")
        }
        return try MatrixRecord(json: bytes, path: file)
    }

    func storedCells(of record: MatrixRecord) -> StoredCells {
        StoredCells(of: record, in: contents, path: path)
    }

    /// Keeps other matrices out of the directory as long as the result lives.
    func lock() throws(MatrixError) -> OwnedDescriptor? {
        // The cells of a matrix that was killed end with it, but a moment later.
        let deadline = ContinuousClock.now + .seconds(5)
        while true {
            do {
                if let lock = try contents.lock(MatrixRecord.fileName) { return lock }
            } catch Errno.noSuchFileOrDirectory {
                // Another matrix that waited, too, is about to replace it.
            } catch {
                throw Self.error("\(path)/\(MatrixRecord.fileName)", error)
            }
            guard ContinuousClock.now < deadline else { break }
            _ = Readiness.wait(for: [], timeout: .milliseconds(50))
        }
        let holder = contents.lockHolder(MatrixRecord.fileName) ?? "another matrix"
        throw MatrixError(
            .cannotWrite,
            "cannot write \(path): \(holder) is running a matrix there; wait for its end, or choose "
                + "another directory")
    }
}
