import LinkModel
import LinuxKernel
import SystemPackage

extension ReportDirectory {
    /// Removes an older report and what it was made from.
    ///
    /// Otherwise its files would be taken for this one's, above all if this matrix is killed before
    /// it writes any. Files of others stay.
    func removeOldReport() throws(MatrixError) {
        // Nobody else may be at work there. Who was until now may have written a report.
        let old = contents.has(MatrixRecord.fileName) ? try lock() : nil
        let hasReport = [Self.reportName, MatrixRecord.fileName].contains(where: contents.has)
        if !hasReport, let page = ReadableReports.File.allCases.first(where: isForeign) {
            throw MatrixError(
                .cannotWrite,
                "\(path)/\(page.rawValue) is there and of no report of linkcond matrix; choose another "
                    + "directory")
        }
        // A matrix that was killed while it wrote its reports, or removed old ones, left some.
        var names = ReadableReports.File.allCases.map(\.rawValue)
        var last: [String] = []
        if contents.has(Self.reportName) {
            let report = try oldReport()
            names += Self.files(of: report) + CellLinks(count: report.cells.count).paths
            last.append(Self.reportName)
        }
        if contents.has(MatrixRecord.fileName) {
            let record = try record()
            if record.isQueue {
                throw MatrixError(
                    .cannotWrite,
                    "\(path) is a work queue; join it with --queue, or choose another directory")
            }
            let cells = storedCells(of: record)
            let report = MatrixReport(record, cells)
            names += Self.files(of: report) + CellLinks(count: report.cells.count).paths
            names += resultNames + partialNames + fileNames(of: record.plannedCells)
            last.append(MatrixRecord.fileName)
        }
        // Until the last are gone, the report can be read and removed again.
        for name in names + last { try remove(name) }
        contents.removeEmptyDirectory(CellRecord.directoryName)
        _ = consume old
    }

    /// Whether a page is there that no matrix has written.
    private func isForeign(_ page: ReadableReports.File) -> Bool {
        guard contents.has(page.rawValue) else { return false }
        guard let file = try? contents.open(page.rawValue) else { return true }
        var head = [UInt8](repeating: 0, count: 16_384)
        let count = (try? file.raw.readSome(into: &head)) ?? 0
        return !head.prefix(count).contains(Array("linkcond matrix".utf8))
    }

    /// Removes the reports of a matrix that goes on, and what it could not write whole.
    func removeLeftovers() throws(MatrixError) {
        let reports = ReadableReports.File.allCases.map(\.rawValue) + [Self.reportName]
        for name in reports + partialNames { try remove(name) }
    }

    /// Removes the logs and files of cells that were killed: they begin anew.
    func removeFiles(ofUnfinished record: MatrixRecord) throws(MatrixError) {
        let done = storedCells(of: record)
        let names = CellFileNames(record.ownCells)
        let unfinished = record.ownCells.filter { done[$0.id]?.isLast != true }.map { names[$0] }
        for name in fileNames(Set(unfinished)) { try remove(name) }
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

    /// The logs and the files of cells, also of those that were killed and have no result.
    func fileNames(
        of cells: [Cell], in folders: [String] = [logsName, filesName]
    ) -> [String] {
        fileNames(Set(CellFileNames(cells).all), in: folders)
    }

    private func fileNames(
        _ names: Set<String>, in folders: [String] = [logsName, filesName]
    ) -> [String] {
        folders.flatMap { folder in
            ((try? contents.names(in: folder)) ?? []).filter { name in
                // Such as those of `LTE`, `LTE.log` and `LTE.attempt-2.log`.
                let dots = name.indices.filter { name[$0] == "." } + [name.endIndex]
                return dots.contains { names.contains(String(name[..<$0])) }
            }.map { "\(folder)/\($0)" }
        }
    }

    /// The results of cells, whether or not they can be read.
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
