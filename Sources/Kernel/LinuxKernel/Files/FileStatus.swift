import Glibc
import SystemPackage

/// File metadata from stat(2). Another file at the same path has other metadata, and so has one that was
/// written to.
public struct FileStatus: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
    let owner: UInt32
    /// Since 1970.
    let modified: Duration
    private let size: Int
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

    /// Of the file to which a path leads, behind symbolic links.
    public init?(behind path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        owner = status.st_uid
        modified =
            .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec)
        size = status.st_size
        mode = status.st_mode
    }

    // As in `gnu_dev_major(3)` and `gnu_dev_minor(3)`.
    var majorDevice: UInt64 { device >> 8 & 0xfff | device >> 32 & ~0xfff }
    var minorDevice: UInt64 { device & 0xff | device >> 12 & ~0xff }

    var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    var isOrdinary: Bool { mode & S_IFMT == S_IFREG }
    var permissions: UInt32 { mode & 0o7777 }

    /// Whether this is the same file, even if it has changed.
    func isSameFile(as other: FileStatus?) -> Bool {
        device == other?.device && inode == other?.inode
    }
}
