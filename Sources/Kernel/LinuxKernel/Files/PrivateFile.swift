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

/// File metadata from stat(2).
struct FileStatus: Hashable {
    let device: UInt64
    let inode: UInt64
    let owner: UInt32
    /// Since 1970.
    let modified: Duration
    private let mode: UInt32

    /// Of an open file.
    init?(of descriptor: FileDescriptor) {
        var status = stat()
        guard unsafe fstat(descriptor.rawValue, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Of the file with a name, without following symbolic links.
    init?(ofFileAt path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        owner = status.st_uid
        modified =
            .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
        mode = status.st_mode
    }

    var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    var isOrdinary: Bool { mode & S_IFMT == S_IFREG }
    var permissions: UInt32 { mode & 0o7777 }

    /// Whether this is the same file, even if it has changed.
    func isSameFile(as other: FileStatus?) -> Bool {
        device == other?.device && inode == other?.inode
    }
}
