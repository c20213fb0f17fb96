import Glibc
import SystemPackage

/// Small files that are read as a whole, such as those under `/proc`.
public enum SmallFile {
    /// The text of a file, at most its first `limit` bytes.
    public static func read(
        _ path: String, limit: Int = 65_536
    ) throws(KernelError) -> String {
        do {
            // Nobody may ever write to a pipe.
            let file = try FileDescriptor.open(
                FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
            defer { try? file.close() }
            let bytes = try file.readAll(limit: limit).prefix(limit)
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            throw KernelError(.read, subject: path, errno: error as? Errno ?? .ioError)
        }
    }

    /// Creates a directory if it does not exist.
    public static func makeDirectory(_ path: String) throws(KernelError) {
        guard unsafe mkdir(path, 0o755) != 0, errno != EEXIST else { return }
        throw KernelError(.create, subject: path, errno: Errno(rawValue: errno))
    }

    /// The names of the files in a directory, without `.` and `..`; none if it cannot be read.
    public static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { _ = unsafe closedir(directory) }
        return unsafe DirectoryStream.names(directory)
    }

    /// What a symbolic link leads to; nil if it cannot be read, or its target is longer than a path may be.
    public static func target(ofLink path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink(path, &buffer, buffer.count)
        guard length >= 0, length < buffer.count else { return nil }
        return String(decoding: buffer[..<length], as: UTF8.self)
    }

    /// Renames a file, atomically replacing any file with the new name.
    public static func rename(_ path: String, to newPath: String) throws(KernelError) {
        guard unsafe Glibc.rename(path, newPath) != 0 else { return }
        throw KernelError(.create, subject: newPath, errno: Errno(rawValue: errno))
    }
}
