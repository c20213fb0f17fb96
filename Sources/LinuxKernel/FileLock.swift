import CLinux
public import SystemPackage

/// A lock that processes take on a file, and that the kernel releases when its owner ends.
///
/// Equivalent to `flock(1)`.
public struct FileLock: ~Copyable {
    private let descriptor: FileDescriptor

    /// Waits for the lock on `path`, a file that is made if needed.
    public init(path: String) throws(KernelError) {
        let descriptor = try Self.open(path)
        let status = lc_lock_file(descriptor.rawValue, 1)
        guard status == 0 else {
            try? descriptor.close()
            throw KernelError(.lock, subject: path, errno: Errno(rawValue: -status))
        }
        self.descriptor = descriptor
    }

    /// Opens the file without waiting for the lock.
    public static func open(_ path: String) throws(KernelError) -> FileDescriptor {
        do {
            return try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            throw KernelError(.open, subject: path, errno: error as? Errno ?? .ioError)
        }
    }

    deinit {
        try? descriptor.close()
    }
}
