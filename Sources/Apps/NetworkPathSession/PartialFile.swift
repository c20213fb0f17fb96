import Foundation
import FoundationNetworking
import SystemPackage

/// The file in which a download is kept until it is whole.
///
/// Resume data, which comes from disk, says its name and nothing else. A file of that name counts
/// only if it can be nobody else's: in the session's own directory, a regular file and no link to
/// one, of the same user, and under no other name. All of that is looked at once, on the open file,
/// so that nothing can be put in its place later.
struct PartialFile: Sendable {
    let url: URL
    let handle: FileHandle
    /// Which file it is, whatever is under its name by now.
    private let inode: Inode
    private let device: DeviceID

    /// What resume data says of it.
    var name: String { url.lastPathComponent }

    /// Makes an empty one.
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

    /// Opens the one that resume data names; nil if it is gone.
    ///
    /// - Throws: `.cannotDecodeRawData` if it is not one that a session of this user has made;
    ///   nothing has happened to it then. `.cannotOpenFile` if another task has it.
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
                // A pipe in its place does not make anybody wait.
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
        // Two tasks that write to the same file would spoil it.
        guard flock(handle.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw Errno(rawValue: errno)
        }
        self.url = url
    }

    /// How many bytes it has; nil if it cannot be told.
    var size: Int64? {
        try? FileDescriptor(rawValue: handle.fileDescriptor).stat().size
    }

    /// Closes it and removes it, unless something else has its name by now.
    func remove() {
        try? handle.close()
        guard let status = try? FilePath(url.path).stat(followTargetSymlink: false),
            status.inode == inode, status.deviceID == device
        else { return }
        try? FileManager.default.removeItem(at: url)
    }

    private static let prefix = "NetworkSession-"
    private static let suffix = ".partial"

    /// Whether a session may have made up this name.
    private static func isName(_ name: String) -> Bool {
        name.hasPrefix(prefix) && name.hasSuffix(suffix)
            && UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(suffix.count))) != nil
    }
}
