import FoundationEssentials
import LinuxKernel
import Recording
import SystemPackage

extension ReportDirectory {
    /// The most files accepted in a part.
    private static let mostFiles = 1_000_000

    /// Whether two paths lead to the same directory, or to a report in it.
    public static func isSame(_ path: String, as other: String) -> Bool {
        func directory(_ path: String) -> String {
            let url = URL(filePath: path).resolvingSymlinksInPath()
            var isDirectory = false
            let isThere = FileManager.default.fileExists(
                atPath: url.path, isDirectory: &isDirectory)
            let isFile = isThere && !isDirectory
            return (isFile ? url.deletingLastPathComponent() : url).standardized.path
        }
        return directory(path) == directory(other)
    }

    /// Copies the logs and other files of a part that the merged report names.
    ///
    /// - Parameters:
    ///   - other: The directory of the part; links and special files in it are not copied.
    ///   - rename: The new path of a file, relative to the directory.
    /// - Returns: Notes about what was not copied.
    public func copyFiles(
        of part: MatrixReport, in other: String, for merged: MatrixReport,
        rename: (String) -> String
    ) throws(MatrixError) -> [String] {
        let source: ContainedDirectory
        do {
            source = try ContainedDirectory(other)
        } catch {
            // The report file itself was given, without a directory.
            return []
        }
        let wanted = Set(Self.files(of: merged))
        var leftBehind: [String] = []
        for name in Self.files(of: part) where wanted.contains(rename(name)) {
            if name.hasPrefix(Self.filesName + "/") {
                leftBehind += try copyDirectory(name, from: source, to: rename(name))
            } else if try !copyFile(name, from: source, to: rename(name)), source.has(name) {
                leftBehind.append(name)
            }
        }
        return leftBehind.map { "\(other)/\($0) is no regular file, and is not in this report" }
    }

    /// The files that belong to a report, without the report itself.
    static func files(of report: MatrixReport) -> [String] { files(of: report.cells) }

    static func files(of cells: [CellReport]) -> [String] {
        let logs = cells.flatMap { [$0.log] + $0.earlierAttempts.map(\.log) }
        let directories = cells.flatMap { [$0.files] + $0.earlierAttempts.map(\.files) }
        let names = logs.compactMap { $0?.path } + directories.compactMap(\.self)
        // A report may come from elsewhere: paths outside the directory are ignored.
        return names.filter { name in
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count == 2 && [logsName, filesName].contains(String(parts[0]))
                && ![".", "..", ""].contains(parts[1])
        }
    }

    private func copyDirectory(
        _ name: String, from source: ContainedDirectory, to newName: String
    ) throws(MatrixError) -> [String] {
        let listing: ContainedDirectory.Listing
        do {
            listing = try source.files(below: name, limit: Self.mostFiles)
        } catch {
            return source.has(name) ? [name] : []
        }
        try makeDirectory(Self.filesName)
        try makeDirectory(newName)
        var made: Set<String> = []
        var leftBehind = listing.hidden.map(\.path)
        for entry in listing.files {
            let target = newName + entry.path.dropFirst(name.count)
            var parent = newName
            for part in target.dropFirst(newName.count + 1).split(separator: "/").dropLast() {
                parent += "/\(part)"
                if made.insert(parent).inserted { try makeDirectory(parent) }
            }
            if try !copyFile(entry.path, from: source, to: target) { leftBehind.append(entry.path) }
        }
        return leftBehind
    }

    /// Copies a regular file; returns whether it is one and can be read.
    private func copyFile(
        _ name: String, from source: ContainedDirectory, to newName: String
    ) throws(MatrixError) -> Bool {
        // CI engines delete logs first.
        guard let file = try? source.open(name) else { return false }
        do {
            let target = try create(newName)
            try target.descriptor.closeAfter {
                var buffer = [UInt8](repeating: 0, count: 1 << 18)
                while true {
                    let count = try file.raw.readSome(into: &buffer)
                    guard count > 0 else { break }
                    try target.descriptor.writeAll(buffer.prefix(count))
                }
            }
            return true
        } catch {
            throw Self.error("\(newName)", error)
        }
    }
}
