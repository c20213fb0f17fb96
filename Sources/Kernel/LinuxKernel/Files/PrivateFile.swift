import Glibc
import SystemPackage

/// Files that only their owner can open: a process that can open a file can lock it, and make
/// others wait.
enum PrivateFile {
    /// How many times another process may interfere.
    private static let attempts = 10

    /// Opens a file for reading and writing, and creates it if needed.
    ///
    /// A file that others can open, or have created, is replaced: somebody may hold it open.
    static func open(_ path: String) throws(KernelError) -> OwnedDescriptor {
        for _ in 0..<attempts {
            let number = unsafe Glibc.open(
                path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
            // What cannot be opened for writing, such as a link or a pipe, was not created here.
            guard number >= 0 || [ELOOP, EISDIR, ENXIO].contains(errno) else {
                throw KernelError(.open, subject: path, errno: Errno(rawValue: errno))
            }
            if number >= 0 {
                let file = OwnedDescriptor(adopting: FileDescriptor(rawValue: number))
                if isPrivate(file.raw) { return file }
            }
            guard unsafe unlink(path) == 0 || errno == ENOENT else {
                throw KernelError(.open, subject: path, errno: Errno(rawValue: errno))
            }
        }
        throw KernelError(.open, subject: path, errno: .fileExists)
    }

    /// Whether a descriptor is an ordinary file that belongs to the effective user, and that nobody
    /// else may open.
    private static func isPrivate(_ file: FileDescriptor) -> Bool {
        guard let status = FileStatus(of: file) else { return false }
        return status.isOrdinary && status.owner == geteuid() && status.permissions & 0o077 == 0
    }
}
