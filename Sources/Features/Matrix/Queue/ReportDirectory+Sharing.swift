import LinkModel
public import LinuxKernel
import SystemPackage

/// What workers do in the directory of a matrix that they share.
extension ReportDirectory {
    /// Creates a file unless there is one; returns whether this process did.
    @discardableResult
    func createFirst(_ name: String, _ text: String) throws(MatrixError) -> Bool {
        do {
            guard let file = try contents.createFirst(name) else { return false }
            try file.closeAfter { _ = try file.writeAll(text.utf8) }
            try changeOwner(of: name)
            return true
        } catch {
            throw Self.error("\(path)/\(name)", error)
        }
    }

    /// Overwrites a file in place with a text of the same length: it needs no room on a full disk.
    func overwrite(_ name: String, _ text: String) throws {
        let file = try contents.openToOverwrite(name)
        try file.raw.writeAll(text.utf8)
    }

    /// The text of a small file; nil if it cannot be read.
    func text(of name: String) -> String? {
        (try? contents.read(name, limit: 65_536)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names in a subdirectory.
    func names(in folder: String) throws(MatrixError) -> [String] {
        do {
            return try contents.names(in: folder)
        } catch {
            throw MatrixError(.cannotRead, "cannot read \(path)/\(folder): \(error)")
        }
    }

    /// Removes the log and the files of a cell whose result does not count.
    func removeFiles(of cell: CellReport) {
        for name in Self.files(of: [cell]) { try? contents.remove(name) }
    }

    /// Writes a request, unless another process did; returns whether this one did.
    @discardableResult
    func writeFirst(_ record: MatrixRecord) throws(MatrixError) -> Bool {
        guard !contents.has(MatrixRecord.fileName) else { return false }
        let reports = ReadableReports.File.allCases.map(\.rawValue) + [Self.reportName]
        if let name = reports.first(where: contents.has) {
            throw MatrixError(
                .cannotWrite,
                "\(path)/\(name) is there and of no work queue; choose another directory")
        }
        let partial = Self.partialName(of: MatrixRecord.fileName)
        try write(try MatrixStore.json(record), to: partial, isLasting: true)
        defer { try? contents.remove(partial) }
        do {
            return try contents.link(partial, to: MatrixRecord.fileName)
        } catch Errno.notPermitted, Errno.notSupported, Errno.noFunction {
            // Some file systems have no second names. Then a request of the same moment is replaced,
            // which is the same, or will be refused.
            do {
                try contents.rename(partial, to: MatrixRecord.fileName)
                return true
            } catch {
                throw Self.error("\(path)/\(MatrixRecord.fileName)", error)
            }
        } catch {
            throw Self.error("\(path)/\(MatrixRecord.fileName)", error)
        }
    }
}

extension MatrixStore {
    /// Joins the workers of the matrix in the directory at `path`, or is the first.
    ///
    /// - Parameter owner: The owner of new files; nil: the caller.
    public static func join(
        _ record: MatrixRecord, at path: String, owner: Program.Identity? = nil
    ) throws(MatrixError) -> MatrixStore {
        let directory = try ReportDirectory(opening: path, owner: owner)
        for name in [WorkQueue.claimsName, WorkQueue.workersName] {
            try directory.makeDirectory(name)
        }
        try directory.writeFirst(record)
        let begun = try directory.record()
        try begun.expectQueue(at: path)
        try begun.expectSame(command: record.command, record.specification, at: path)
        return MatrixStore(directory, begun)
    }

    /// The result of a cell in a file.
    func result(_ name: String) throws(MatrixError) -> CellRecord {
        try StoredCells.read(
            name, of: record, in: directory.contents, path: directory.path)
    }
}
