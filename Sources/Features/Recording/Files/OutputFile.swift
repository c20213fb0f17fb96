import Glibc
import LinuxKernel
public import SystemPackage

/// A file that is open for writing, and grows piece by piece.
///
/// A program that is started does not get its descriptor, but a copy of this process does.
public struct OutputFile: Sendable, Hashable {
    /// The name by which the user knows it.
    public let path: String
    /// Where its bytes go.
    public let descriptor: FileDescriptor

    /// Whom a new file belongs to.
    public struct Owner: Sendable, Hashable {
        /// The user.
        public var user: UInt32
        /// The group.
        public var group: UInt32

        /// Names a user and a group.
        public init(user: UInt32, group: UInt32) {
            self.user = user
            self.group = group
        }
    }

    /// Opens a file for writing and empties it; one that is not there is made.
    ///
    /// - Parameter owner: whose file a new one is; nil: the caller's. A file that exists already
    ///   keeps its owner.
    public init(
        creating path: String, owner: Owner? = nil
    ) throws(RecordingFileError) {
        self.path = path
        do {
            descriptor = try Self.create(path, owner)
        } catch {
            throw RecordingFileError(path: path, errno: error as? Errno ?? .ioError)
        }
    }

    /// Takes over a descriptor that is open already.
    public init(path: String, descriptor: FileDescriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    private static func create(_ path: String, _ owner: Owner?) throws -> FileDescriptor {
        do {
            let descriptor = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: permissions)
            if let owner { _ = fchown(descriptor.rawValue, owner.user, owner.group) }
            return descriptor
        } catch Errno.fileExists {
            // Not to be made: where everybody may write, such as in /tmp, the kernel keeps even root
            // from opening another user's file with that option (`fs.protected_regular`).
            return try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.truncate, .closeOnExec])
        }
    }

    /// As for any file: the user's mask takes away what it will.
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
