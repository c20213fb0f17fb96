public import Evidence
import FoundationEssentials
import Glibc
import LinuxKernel
import SystemPackage

/// The directory that a matrix leaves behind: `report.json`, `logs/`, and in `files/` what the
/// command itself wrote there.
public struct ReportDirectory: Sendable {
    /// Where it is, as the user named it.
    public let path: String
    private let owner: OutputFile.Owner?

    /// The name of the report in it.
    public static let reportName = "report.json"
    private static let logsName = "logs"
    private static let filesName = "files"

    /// Makes the directory if it is not there, and sees that it can be written to, so that one that
    /// cannot is an error before anything runs.
    ///
    /// - Parameter owner: whom new files belong to; nil: the caller.
    public init(creating path: String, owner: OutputFile.Owner? = nil) throws(MatrixError) {
        self.path = path
        self.owner = owner
        var parent = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            try makeDirectory(parent + part)
            parent += part + "/"
        }
        try removeOldReport()
        try makeDirectory("\(path)/\(Self.logsName)")
        try expectWritable()
    }

    /// Reads the report in a directory, or a report file.
    public static func report(at path: String) throws(MatrixError) -> MatrixReport {
        var isDirectory = false
        let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        let file = isDirectory ? "\(path)/\(reportName)" : path
        guard isThere, let data = FileManager.default.contents(atPath: file) else {
            throw MatrixError(.cannotRead, "cannot read \(file): no report is there")
        }
        do {
            return try MatrixReport(json: String(decoding: data, as: UTF8.self))
        } catch {
            throw MatrixError(
                .badFile, "\(file): not a report of linkcond matrix, or not a whole one")
        }
    }

    /// Replaces a file in the directory by a new one, which is there whole or not at all.
    public func write(_ text: String, to name: String) throws(MatrixError) {
        let partial = partialPath(name)
        do {
            try OutputFile(creating: partial, owner: owner).write(text)
            try SmallFile.rename(partial, to: "\(path)/\(name)")
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw Self.error("\(path)/\(name)", error)
        }
    }

    /// Opens the file for what a cell prints; returns its name in reports as well.
    func openLog(_ name: String) throws(MatrixError) -> (file: OutputFile, name: String) {
        let name = "\(Self.logsName)/\(name).log"
        do {
            return (try OutputFile(creating: "\(path)/\(name)", owner: owner), name)
        } catch {
            throw MatrixError(.cannotWrite, "\(error)")
        }
    }

    /// Makes a directory in which a cell's command may leave files; returns its absolute path.
    func makeFilesDirectory(_ name: String) throws(MatrixError) -> String {
        let directory = "\(path)/\(Self.filesName)/\(name)"
        try makeDirectory("\(path)/\(Self.filesName)")
        try makeDirectory(directory)
        let current = FileManager.default.currentDirectoryPath
        return directory.hasPrefix("/") ? directory : "\(current)/\(directory)"
    }

    /// Copies the logs and other files of a part, as far as the merged report names them.
    ///
    /// - Parameters:
    ///   - other: the directory of the part.
    ///   - rename: the new path of a file, relative to the directory.
    public func copyFiles(
        of part: MatrixReport, in other: String, for merged: MatrixReport,
        rename: (String) -> String
    ) throws(MatrixError) {
        let wanted = Set(Self.files(of: merged))
        for name in Self.files(of: part) where wanted.contains(rename(name)) {
            let source = "\(other)/\(name)"
            // Logs are what a CI engine throws away first.
            guard FileManager.default.fileExists(atPath: source) else { continue }
            if name.hasPrefix(Self.filesName) { try makeDirectory("\(path)/\(Self.filesName)") }
            let target = "\(path)/\(rename(name))"
            do {
                try FileManager.default.copyItem(atPath: source, toPath: target)
            } catch {
                throw Self.error(target, error)
            }
        }
    }

    /// The files that belong to a report, beside itself.
    private static func files(of report: MatrixReport) -> [String] {
        let logs = report.cells.flatMap { [$0.log] + $0.earlierAttempts.map(\.log) }
        let directories = report.cells.flatMap { [$0.files] + $0.earlierAttempts.map(\.files) }
        let names = logs.compactMap { $0?.path } + directories.compactMap(\.self)
        // A report may come from elsewhere: nothing outside the directory is its own.
        return names.filter { name in
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count == 2 && [logsName, filesName].contains(String(parts[0]))
                && ![".", "..", ""].contains(parts[1])
        }
    }

    /// Takes away the directory of a cell that left no files; returns its name otherwise.
    func keepFilesDirectory(_ name: String) -> String? {
        let directory = "\(path)/\(Self.filesName)/\(name)"
        let content = try? FileManager.default.contentsOfDirectory(atPath: directory)
        guard let content, content.isEmpty else { return "\(Self.filesName)/\(name)" }
        try? FileManager.default.removeItem(atPath: directory)
        return nil
    }

    /// Takes away what turned out not to be needed.
    func removeEmptyDirectories() {
        let directory = "\(path)/\(Self.filesName)"
        let content = try? FileManager.default.contentsOfDirectory(atPath: directory)
        if content?.isEmpty == true { try? FileManager.default.removeItem(atPath: directory) }
    }

    /// What an older report left would be taken for this one's.
    private func removeOldReport() throws(MatrixError) {
        let file = "\(path)/\(Self.reportName)"
        guard FileManager.default.fileExists(atPath: file) else { return }
        guard let old = try? Self.report(at: file) else {
            throw MatrixError(
                .cannotWrite,
                "\(file) is there and no report of linkcond matrix; choose another directory")
        }
        for name in Self.files(of: old) + [Self.reportName] {
            let old = "\(path)/\(name)"
            guard FileManager.default.fileExists(atPath: old) else { continue }
            do {
                try FileManager.default.removeItem(atPath: old)
            } catch {
                throw Self.error(old, error)
            }
        }
    }

    private func expectWritable() throws(MatrixError) {
        let file = partialPath(Self.reportName)
        do {
            try OutputFile(creating: file, owner: owner).descriptor.close()
            try FileManager.default.removeItem(atPath: file)
        } catch {
            throw Self.error(path, error)
        }
    }

    private func partialPath(_ name: String) -> String { "\(path)/.\(name).partial" }

    private func makeDirectory(_ path: String) throws(MatrixError) {
        let isNew = !FileManager.default.fileExists(atPath: path)
        do {
            try SmallFile.makeDirectory(path)
            let directory = try FileDescriptor.open(
                FilePath(path), .readOnly, options: [.directory, .closeOnExec])
            if isNew, let owner { _ = fchown(directory.rawValue, owner.user, owner.group) }
            try directory.close()
        } catch {
            throw Self.error(path, error)
        }
    }

    private static func error(_ path: String, _ error: any Error) -> MatrixError {
        switch error {
        case let error as KernelError:
            MatrixError(.cannotWrite, "cannot write \(path): \(error.errno)")
        case let error as EvidenceError:
            MatrixError(.cannotWrite, "cannot write \(path): \(error.errno)")
        case let error as Errno:
            MatrixError(.cannotWrite, "cannot write \(path): \(error)")
        default:
            MatrixError(.cannotWrite, "cannot write \(path): \(error)")
        }
    }
}
