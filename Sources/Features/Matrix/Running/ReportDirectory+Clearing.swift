import LinkModel
import LinuxKernel
import SystemPackage

extension ReportDirectory {
    /// Removes an older report and what it was made from.
    ///
    /// Otherwise its files would be taken for this one's, above all if this matrix is killed before
    /// it writes any. Files of others stay.
    func removeOldReport() throws(MatrixError) {
        // A matrix that was killed while it wrote its reports, or removed old ones, left some.
        var names = ReadableReports.File.allCases.map(\.rawValue)
        var last: [String] = []
        if contents.has(Self.reportName) {
            let report = try oldReport()
            names += Self.files(of: report) + CellLinks(count: report.cells.count).paths
            last.append(Self.reportName)
        }
        var old: OwnedDescriptor?
        if contents.has(MatrixRecord.fileName) {
            let record = try record()
            if record.isQueue {
                throw MatrixError(
                    .cannotWrite,
                    "\(path) is a work queue; join it with --queue, or choose another directory")
            }
            // Nobody else may be at work there.
            old = try lock()
            let cells = storedCells(of: record)
            let report = MatrixReport(record, cells)
            names += Self.files(of: report) + CellLinks(count: report.cells.count).paths
            names += resultNames + partialNames
            last.append(MatrixRecord.fileName)
        }
        // Until the last are gone, the report can be read and removed again.
        for name in names + last { try remove(name) }
        contents.removeEmptyDirectory(CellRecord.directoryName)
        _ = consume old
    }

    /// Removes the reports of a matrix that goes on, and what it could not write whole.
    func removeLeftovers() throws(MatrixError) {
        let reports = ReadableReports.File.allCases.map(\.rawValue) + [Self.reportName]
        for name in reports + partialNames { try remove(name) }
    }

    private func oldReport() throws(MatrixError) -> MatrixReport {
        let file = "\(path)/\(Self.reportName)"
        do {
            return try Self.report(in: file) { () throws(InputFileError) in
                try contents.read(Self.reportName, limit: Self.reportLimit)
            }
        } catch {
            throw MatrixError(
                .cannotWrite,
                "\(file) is there and no report of linkcond matrix; choose another directory")
        }
    }

    /// The files of cells, whether or not they can be read.
    private var resultNames: [String] {
        let names = (try? contents.names(in: CellRecord.directoryName)) ?? []
        return names.filter { $0.hasSuffix(StoredCells.suffix) }
            .map { "\(CellRecord.directoryName)/\($0)" }
    }

    /// The files that were being written.
    private var partialNames: [String] {
        let isPartial = { (name: String) in
            name.hasPrefix(".") && name.hasSuffix(Self.partialSuffix)
        }
        let inCells = (try? contents.names(in: CellRecord.directoryName)) ?? []
        return ((try? contents.names()) ?? []).filter(isPartial)
            + inCells.filter(isPartial).map { "\(CellRecord.directoryName)/\($0)" }
    }

    private func remove(_ name: String) throws(MatrixError) {
        do {
            try contents.remove(name)
        } catch Errno.noSuchFileOrDirectory {
            return
        } catch {
            throw Self.error("\(path)/\(name)", error)
        }
    }
}
