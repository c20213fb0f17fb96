import Foundation
import FoundationNetworking
import SystemPackage

/// The file that holds a download until it is complete.
///
/// Resume data comes from disk and contains only the file's name. A file of that name is accepted
/// only if it must be the session's own: in the session's directory, a regular file and no symbolic
/// link, of the same user, with no other hard links. All this is checked on the open file, so that
/// it cannot be replaced later.
struct PartialFile: Sendable {
    let url: URL
    let handle: FileHandle
    /// The file's identity, whatever its name refers to now.
    private let inode: Inode
    private let device: DeviceID

    /// Its name in resume data.
    var name: String { url.lastPathComponent }

    /// Makes an empty file.
    static func create(in directory: URL) throws(URLError) -> PartialFile {
        let url = directory.appending(path: prefix + UUID().uuidString + suffix)
        do {
            return try PartialFile(
                url, options: [.create, .exclusiveCreate],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            throw URLError(.cannotCreateFile, "Cannot create \(url.path): \(error).")
        }
    }

    /// Opens the file named by resume data; nil if it is gone.
    ///
    /// - Throws: `.cannotDecodeRawData` if it was not made by a session of this user; the file is
    ///   unchanged then. `.cannotOpenFile` if another task uses it.
    static func open(_ name: String, in directory: URL) throws(URLError) -> PartialFile? {
        guard isName(name) else {
            throw URLError(.cannotDecodeRawData, "The resume data names no file of a session.")
        }
        let url = directory.appending(path: name)
        let file: PartialFile
        do {
            file = try PartialFile(url, options: [])
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch Errno.wouldBlock {
            throw URLError(.cannotOpenFile, "Another task goes on with \(url.path).")
        } catch {
            throw URLError(
                .cannotDecodeRawData,
                "The resume data names \(url.path), which is not a file of this user's sessions.")
        }
        return file
    }

    private init(
        _ url: URL, options: FileDescriptor.OpenOptions, permissions: FilePermissions? = nil
    ) throws(Errno) {
        do {
            let descriptor = try FileDescriptor.open(
                FilePath(url.path), .readWrite,
                // `nonBlocking`, so that a named pipe in its place does not block.
                options: options.union([.noFollow, .nonBlocking, .closeOnExec]),
                permissions: permissions)
            handle = FileHandle(fileDescriptor: descriptor.rawValue, closeOnDealloc: true)
            let status = try descriptor.stat()
            guard status.type == .regular, status.userID.rawValue == geteuid(),
                status.linkCount == 1
            else { throw Errno.permissionDenied }
            (inode, device) = (status.inode, status.deviceID)
        } catch {
            throw error as? Errno ?? .ioError
        }
        // Two tasks that write to the same file would corrupt it.
        guard flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw Errno(rawValue: errno)
        }
        self.url = url
    }

    /// Its size in bytes; nil if unknown.
    var size: Int64? {
        try? FileDescriptor(rawValue: handle.fileDescriptor).stat().size
    }

    /// Writes at its end. A full disk may leave a part of `data` there.
    func append(_ data: Data) throws {
        try FileDescriptor(rawValue: handle.fileDescriptor).writeAll(data)
    }

    /// Closes and removes it, unless its name now refers to something else.
    func remove() {
        try? handle.close()
        guard let status = try? FilePath(url.path).stat(followTargetSymlink: false),
            status.inode == inode, status.deviceID == device
        else { return }
        try? FileManager.default.removeItem(at: url)
    }

    private static let prefix = "NetworkSession-"
    private static let suffix = ".partial"

    /// Whether a session could have generated this name.
    private static func isName(_ name: String) -> Bool {
        name.hasPrefix(prefix) && name.hasSuffix(suffix)
            && UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(suffix.count))) != nil
    }
}
