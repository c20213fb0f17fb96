import FoundationEssentials
import Glibc
import LinkModel
public import LinuxKernel
import Recording
import SystemPackage

/// The directory that a matrix leaves behind: `report.json`, `logs/`, and `files/` with what the
/// command itself wrote.
///
/// Commands may put anything there, and reports come from elsewhere: neither can make this process
/// read or write outside the directory.
public struct ReportDirectory: Sendable {
    /// The path as the user named it.
    public let path: String
    private let owner: Program.Identity?
    let contents: ContainedDirectory

    /// The report's file name.
    public static let reportName = "report.json"
    static let logsName = "logs"
    static let filesName = "files"
    /// Larger than any report of a matrix.
    static let reportLimit = 512 << 20

    /// Makes the directory if necessary and checks that it is writable, so that a bad directory
    /// fails before anything runs. An older report there is removed.
    ///
    /// - Parameter owner: The owner of new files; nil: the caller.
    public init(creating path: String, owner: Program.Identity? = nil) throws(MatrixError) {
        try self.init(making: path, owner: owner)
        try removeOldReport()
        try makeDirectory(Self.logsName)
        try expectWritable()
    }

    /// Opens a directory for the files of commands alone.
    ///
    /// - Parameter owner: The owner of new files; nil: the caller.
    public init(scratch: String, owner: Program.Identity? = nil) throws(MatrixError) {
        try self.init(making: scratch, owner: owner)
    }

    /// Opens the directory of a matrix that has begun, and checks that it is writable.
    ///
    /// - Parameter owner: The owner of new files; nil: the caller.
    init(opening path: String, owner: Program.Identity? = nil) throws(MatrixError) {
        try self.init(making: path, owner: owner)
        try makeDirectory(Self.logsName)
        try makeDirectory(CellRecord.directoryName)
        try expectWritable()
    }

    private init(making path: String, owner: Program.Identity?) throws(MatrixError) {
        self.path = path
        self.owner = owner
        var made = path.hasPrefix("/") ? "/" : ""
        do {
            for part in path.split(separator: "/") {
                made += (made.isEmpty || made == "/" ? "" : "/") + part
                try Self.makeDirectory(made, owner)
            }
            contents = try ContainedDirectory(path)
        } catch {
            throw Self.error(made, error)
        }
    }

    /// Reads the report in a directory, or a report file. Of a matrix that was killed, this is what
    /// its finished cells make.
    public static func report(at path: String) throws(MatrixError) -> MatrixReport {
        var isDirectory = false
        let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        let file = isDirectory ? "\(path)/\(reportName)" : path
        guard isThere else {
            throw MatrixError(.cannotRead, "cannot read \(file): no report is there")
        }
        if isDirectory, let report = try unfinishedReport(at: path) { return report }
        return try report(in: file) { () throws(InputFileError) in
            // A file in the directory may be a link to something outside.
            guard isDirectory, let directory = try? ContainedDirectory(path) else {
                return try InputFile.read(file, limit: reportLimit)
            }
            return try directory.read(reportName, limit: reportLimit)
        }
    }

    static func report(
        in file: String, _ read: () throws(InputFileError) -> [UInt8]
    ) throws(MatrixError) -> MatrixReport {
        let bytes: [UInt8]
        do {
            bytes = try read()
        } catch .unreadable(.noSuchFileOrDirectory) {
            throw MatrixError(.cannotRead, "cannot read \(file): no report is there")
        } catch {
            throw MatrixError(.cannotRead, "\(file): \(error)")
        }
        // Large files of other kinds are not worth reading into memory.
        guard bytes.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{"),
            let report = try? MatrixReport(json: bytes)
        else {
            throw MatrixError(
                .badFile, "\(file): not a report of linkcond matrix, or not a whole one")
        }
        if let problem = report.problem { throw MatrixError(.badFile, "\(file): \(problem)") }
        return report
    }

    /// Replaces a file in the directory, or in a subdirectory, atomically.
    ///
    /// - Parameter isLasting: Whether to wait until it is on the medium.
    public func write(
        _ text: String, to name: String, isLasting: Bool = false
    ) throws(MatrixError) {
        let partial = Self.partialName(of: name)
        do {
            let file = try create(partial)
            try file.descriptor.closeAfter {
                try file.descriptor.writeAll(text.utf8)
                // Without it, a name may outlast a power failure, and the content not.
                if isLasting, fsync(file.descriptor.rawValue) != 0 {
                    throw Errno(rawValue: errno)
                }
            }
            try contents.rename(partial, to: String(name.split(separator: "/").last ?? ""))
        } catch {
            try? contents.remove(partial)
            throw Self.error("\(path)/\(name)", error)
        }
    }

    /// A new name beside a file's: several processes may write the same file.
    static func partialName(of name: String) -> String {
        let parts = name.split(separator: "/")
        let folder = parts.dropLast().map { "\($0)/" }.joined()
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        return "\(folder).\(parts.last ?? "").\(number)\(partialSuffix)"
    }

    static let partialSuffix = ".partial"

    /// Opens the log file of a cell; also returns its name in reports.
    func openLog(_ name: String) throws(MatrixError) -> (file: OutputFile, name: String) {
        let name = "\(Self.logsName)/\(name).log"
        do {
            return (try create(name), name)
        } catch {
            throw Self.error("\(path)/\(name)", error)
        }
    }

    /// Makes a directory for the files of a cell's command; returns its absolute path.
    ///
    /// It is empty: files of an attempt that was killed would be taken for this one's.
    func makeFilesDirectory(_ name: String) throws(MatrixError) -> String {
        try makeDirectory(Self.filesName)
        do {
            try contents.remove("\(Self.filesName)/\(name)")
        } catch {
            throw Self.error("\(path)/\(Self.filesName)/\(name)", error)
        }
        try makeDirectory("\(Self.filesName)/\(name)")
        let directory = "\(path)/\(Self.filesName)/\(name)"
        let current = FileManager.default.currentDirectoryPath
        return directory.hasPrefix("/") ? directory : "\(current)/\(directory)"
    }

    /// Removes the directory of a cell that left no files; otherwise returns its name.
    func keepFilesDirectory(_ name: String) -> String? {
        let directory = "\(Self.filesName)/\(name)"
        return contents.removeEmptyDirectory(directory) ? nil : directory
    }

    /// The tests in the JUnit files of a cell.
    func tests(in files: String, collecting pattern: String?) -> CollectedTests {
        var room = ReadableReports.mostJUnitBytes
        return CollectedTests(in: files, of: contents, pattern: pattern, room: &room)
    }

    /// Removes directories that turned out to be unused.
    func removeEmptyDirectories() {
        contents.removeEmptyDirectory(Self.filesName)
    }

    /// Gives a new file to the owner of the directory's files.
    func changeOwner(of name: String) throws(Errno) {
        guard let owner else { return }
        try contents.changeOwner(name, user: owner.user, group: owner.group)
    }

    /// Makes a new file, replacing an existing one.
    func create(_ name: String) throws(Errno) -> OutputFile {
        let descriptor = try contents.create(name)
        if let owner { _ = fchown(descriptor.rawValue, owner.user, owner.group) }
        return OutputFile(path: "\(path)/\(name)", descriptor: descriptor)
    }

    /// Makes a subdirectory if necessary.
    func makeDirectory(_ name: String) throws(MatrixError) {
        do {
            guard try contents.makeDirectory(name), let owner else { return }
            try contents.changeOwner(name, user: owner.user, group: owner.group)
        } catch {
            throw Self.error("\(path)/\(name)", error)
        }
    }

    private func expectWritable() throws(MatrixError) {
        let file = Self.partialName(of: Self.reportName)
        do {
            try create(file).descriptor.close()
            try contents.remove(file)
        } catch {
            throw Self.error(path, error)
        }
    }

    private static func makeDirectory(_ path: String, _ owner: Program.Identity?) throws {
        let isNew = !FileManager.default.fileExists(atPath: path)
        try SmallFile.makeDirectory(path)
        let directory = try FileDescriptor.open(
            FilePath(path), .readOnly, options: [.directory, .closeOnExec])
        if isNew, let owner { _ = fchown(directory.rawValue, owner.user, owner.group) }
        try directory.close()
    }

    static func error(_ path: String, _ error: any Error) -> MatrixError {
        switch error {
        case let error as KernelError:
            MatrixError(.cannotWrite, "cannot write \(path): \(error.errno)")
        case let error as RecordingFileError:
            MatrixError(.cannotWrite, "cannot write \(path): \(error.errno)")
        default:
            MatrixError(.cannotWrite, "cannot write \(path): \(error)")
        }
    }
}
