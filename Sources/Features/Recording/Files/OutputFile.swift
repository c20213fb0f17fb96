import Glibc
public import LinuxKernel
public import SystemPackage

/// A file open for writing, which grows piece by piece.
///
/// A program that this process starts does not inherit its file descriptor; a fork does.
public struct OutputFile: Sendable, Hashable {
    /// The path as the user named it.
    public let path: String
    /// The file descriptor.
    public let descriptor: FileDescriptor

    /// Opens a file for writing and truncates it; creates it if it does not exist.
    ///
    /// - Parameter owner: The owner of a new file; nil: the caller. An existing file keeps its
    ///   owner.
    public init(
        creating path: String, owner: Program.Identity? = nil
    ) throws(RecordingFileError) {
        self.path = path
        do {
            descriptor = try Self.create(path, owner)
        } catch {
            throw RecordingFileError(path: path, errno: error as? Errno ?? .ioError)
        }
    }

    /// Takes over an open file descriptor.
    public init(path: String, descriptor: FileDescriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Takes standard output, and gives this process and what it starts standard error in its place,
    /// so that nothing else is written between.
    public static func takingStandardOutput() throws(RecordingFileError) -> OutputFile {
        let name = "standard output"
        let copy = fcntl(FileDescriptor.standardOutput.rawValue, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0, dup2(FileDescriptor.standardError.rawValue, 1) == 1 else {
            throw RecordingFileError(path: name, errno: Errno(rawValue: errno))
        }
        return OutputFile(path: name, descriptor: FileDescriptor(rawValue: copy))
    }

    private static func create(
        _ path: String, _ owner: Program.Identity?
    ) throws -> FileDescriptor {
        do {
            let descriptor = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: permissions)
            if let owner { _ = fchown(descriptor.rawValue, owner.user, owner.group) }
            return descriptor
        } catch Errno.fileExists {
            // Without `create`: in directories writable by everyone, such as /tmp, the kernel
            // denies that option even to root for another user's file (`fs.protected_regular`).
            return try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.truncate, .closeOnExec])
        }
    }

    /// The usual permissions; the umask applies.
    private static let permissions: FilePermissions = [
        .ownerReadWrite, .groupReadWrite, .otherReadWrite,
    ]

    /// Writes a whole text and closes the file.
    public func write(_ text: String) throws(RecordingFileError) {
        KernelThread.outliveBrokenPipes()
        do {
            try descriptor.closeAfter { _ = try descriptor.writeAll(text.utf8) }
        } catch {
            throw RecordingFileError(path: path, errno: error as? Errno ?? .ioError)
        }
    }
}

/// A recorded file cannot be written.
public struct RecordingFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// The kernel's reason.
    public let errno: Errno

    /// One sentence with the reason.
    public var description: String { "cannot write \(path): \(errno)" }
}
