import Glibc
import SystemPackage

/// A lock on a file by which others find the process that holds it, as long as that lives.
///
/// It is a POSIX record lock (`fcntl_locking(2)`): the kernel tells its owner's ID to anybody who
/// may read the file, and releases it when the owner ends, however that happens. It also goes
/// when its owner closes any descriptor of the same file.
public struct RecordLock: ~Copyable {
    private let owned: OwnedDescriptor

    /// Makes the file if needed, and takes the lock; throws where another process has it.
    public init(path: String) throws(KernelError) {
        let file = try FileLock.open(path)
        var lock = Self.wholeFile
        guard unsafe fcntl(file.rawValue, F_SETLK, &lock) == 0 else {
            let reason = Errno(rawValue: errno)
            try? file.close()
            throw KernelError(.lock, subject: path, errno: reason)
        }
        owned = OwnedDescriptor(adopting: file)
    }

    /// The process that holds the lock on the file at `path`, zero for one that has no ID in the
    /// caller's process namespace; nil if no other process does. Throws
    /// `Errno.noSuchFileOrDirectory` where there is no such file.
    public static func holder(of path: String) throws(KernelError) -> Int32? {
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
        } catch {
            throw KernelError(.open, subject: path, errno: error as? Errno ?? .ioError)
        }
        defer { try? file.close() }
        var lock = wholeFile
        guard unsafe fcntl(file.rawValue, F_GETLK, &lock) == 0 else {
            throw KernelError(.lock, subject: path, errno: Errno(rawValue: errno))
        }
        return lock.l_type == Int16(F_UNLCK) ? nil : lock.l_pid
    }

    private static var wholeFile: flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }
}
