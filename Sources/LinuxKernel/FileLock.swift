import CLinux
import Glibc
public import SystemPackage

/// A lock on a file, which the kernel releases when its owner ends, however that happens.
///
/// Of the two kinds one makes processes wait for each other, and the other tells them who has it.
/// They do not see each other.
public struct FileLock: ~Copyable {
    private let owned: OwnedDescriptor

    /// Waits for the lock on `path`, a file that is made if needed. Equivalent to `flock(1)`.
    public init(path: String) throws(KernelError) {
        let owned = OwnedDescriptor(adopting: try Self.open(path))
        let status = lc_lock_file(owned.number, 1)
        guard status == 0 else {
            throw KernelError(.lock, subject: path, errno: Errno(rawValue: -status))
        }
        self.owned = owned
    }

    /// Takes the lock by which others find this process; throws where another process has it.
    ///
    /// It is a POSIX record lock (`fcntl_locking(2)`): the kernel tells its owner's ID to anybody
    /// who may read the file. It also goes when its owner closes any descriptor of the same file.
    public init(showingOwnerAt path: String) throws(KernelError) {
        let owned = OwnedDescriptor(adopting: try Self.open(path))
        var lock = Self.wholeFile
        guard unsafe fcntl(owned.number, F_SETLK, &lock) == 0 else {
            throw KernelError(.lock, subject: path, errno: Errno(rawValue: errno))
        }
        self.owned = owned
    }

    /// The process that shows itself by its lock on the file at `path`, zero for one that has no
    /// ID in the caller's process namespace; nil if no other process does. Throws
    /// `Errno.noSuchFileOrDirectory` where there is no such file.
    public static func owner(at path: String) throws(KernelError) -> Int32? {
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

    /// Opens the file, and makes it if needed, without taking a lock.
    public static func open(_ path: String) throws(KernelError) -> FileDescriptor {
        do {
            return try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            throw KernelError(.open, subject: path, errno: error as? Errno ?? .ioError)
        }
    }

    private static var wholeFile: flock {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }
}
