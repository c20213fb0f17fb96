import CLinux
import SystemPackage

/// A lock that processes take on a file, and that the kernel releases when its owner ends.
///
/// Equivalent to `flock(1)`.
public struct FileLock: ~Copyable {
    private let descriptor: FileDescriptor

    /// Waits for the lock on `path`, a file that is made if needed.
    public init(path: String) throws(KernelError) {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            throw KernelError(.open, subject: path, errno: error as? Errno ?? .ioError)
        }
        let status = lc_lock_file(descriptor.rawValue, 1)
        guard status == 0 else {
            try? descriptor.close()
            throw KernelError(.lock, subject: path, errno: Errno(rawValue: -status))
        }
        self.descriptor = descriptor
    }

    deinit {
        try? descriptor.close()
    }
}
