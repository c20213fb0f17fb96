import Foundation
import LinuxKernel
import SystemPackage

/// Changes of files that are on disk when they return, and complete whenever the process is killed.
enum Disk {
    /// Replaces a file at one stroke.
    ///
    /// - Parameter directory: Where the new content is until then, on the same file system.
    static func write(_ data: Data, to file: URL, by directory: URL) throws {
        let new = directory.appending(path: file.lastPathComponent + ".new")
        let descriptor = try FileDescriptor.open(
            FilePath(new.path), .writeOnly,
            options: [.create, .truncate, .closeOnExec, .noFollow],
            permissions: [.ownerReadWrite, .groupRead, .otherRead])
        try descriptor.closeAfter {
            _ = try descriptor.writeAll(data)
            try sync(descriptor)
        }
        try rename(new, to: file)
        try synchronize(file.deletingLastPathComponent())
    }

    /// Renames a file, atomically replacing any file with the new name.
    static func rename(_ file: URL, to place: URL) throws {
        do {
            try SmallFile.rename(file.path, to: place.path)
        } catch {
            throw error.errno
        }
    }

    /// Waits until a file, or the names in a directory, are on disk.
    static func synchronize(_ file: URL) throws {
        let descriptor = try FileDescriptor.open(
            FilePath(file.path), .readOnly, options: [.closeOnExec, .noFollow])
        try descriptor.closeAfter { try sync(descriptor) }
    }

    private static func sync(_ descriptor: FileDescriptor) throws {
        // Some file systems cannot, and have nothing to lose.
        guard fsync(descriptor.rawValue) == 0 || errno == EINVAL else {
            throw Errno(rawValue: errno)
        }
    }
}
