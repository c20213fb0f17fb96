import Glibc
public import SystemPackage

/// Input files that a user names, read as a whole.
///
/// Only regular files of a limited size are read: a pipe or a terminal may block, a device may have
/// no end, and a file may be larger than memory.
public enum InputFile {
    /// The bytes of the file at `path`, which may have at most `limit`.
    public static func read(_ path: String, limit: Int) throws(InputFileError) -> [UInt8] {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .unreadable(.last) }
        // Also checked before opening: opening a device may have side effects.
        try expectRegular(status)
        let number = unsafe Glibc.open(path, flags)
        guard number >= 0 else { throw .unreadable(.last) }
        return try read(OwnedDescriptor(adopting: FileDescriptor(rawValue: number)), limit: limit)
    }

    /// Opening neither waits for the other end of a pipe nor makes a terminal the controlling one.
    static let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC

    static func read(
        _ file: consuming OwnedDescriptor, limit: Int
    ) throws(InputFileError) -> [UInt8] {
        guard try size(of: file.raw) <= limit else { throw .tooLarge(limit: limit) }
        let bytes: [UInt8]
        do {
            // A file may grow, and files under /proc report a size of zero.
            bytes = try file.raw.readAll(limit: limit)
        } catch {
            throw .unreadable(error)
        }
        guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
        return bytes
    }

    /// The size of an open file, if it is a regular one.
    public static func size(of file: FileDescriptor) throws(InputFileError) -> Int {
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0 else { throw .unreadable(.last) }
        try expectRegular(status)
        return Int(status.st_size)
    }

    private static func expectRegular(_ status: stat) throws(InputFileError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw .directory
        default: throw .notRegular
        }
    }
}

/// Why a file cannot be read.
public enum InputFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kernel's reason.
    case unreadable(Errno)
    case directory
    /// It is a pipe, a device, a socket, or a link that is not followed.
    case notRegular
    /// It has more than `limit` bytes.
    case tooLarge(limit: Int)

    /// What is wrong with the file, as text after its name.
    public var description: String {
        switch self {
        case .unreadable(.noSuchFileOrDirectory): "no such file"
        case .unreadable(.permissionDenied): "you may not read it; change its permissions"
        case .unreadable(let errno): "cannot be read: \(errno)"
        case .directory: "is a directory; name a file"
        case .notRegular: "is not a regular file; copy what it gives into one"
        case .tooLarge(let limit):
            limit < 1 << 20
                ? "is larger than \(limit >> 10) KiB" : "is larger than \(limit >> 20) MiB"
        }
    }
}

extension Errno {
    /// The error of the last C call.
    static var last: Errno { Errno(rawValue: errno) }
}
