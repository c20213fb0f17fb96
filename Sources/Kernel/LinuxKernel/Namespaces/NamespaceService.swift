import CLinux
import Glibc
import SystemPackage

/// Services of a network namespace. Each is a process that others find by service name and by their
/// own namespace.
///
/// Their sockets are in a directory where nobody else can create any: otherwise an ordinary user
/// who takes the name of a service could block root from it. Everybody may connect, and each
/// service decides whom it serves. The directory is `/run/linkcond-services`, or
/// `$XDG_RUNTIME_DIR/linkcond-services` for users who may not create that. If neither can be
/// created, as in a new user namespace, the service has an abstract name instead of a file.
public enum NamespaceService {
    /// Starts to serve under `name` in the network namespace of the calling thread.
    ///
    /// - Throws: `Errno.addressInUse` if another process does.
    public static func listen(_ name: String) throws -> ServiceSocket {
        guard let directory = try ownDirectory() else { return try ServiceSocket(name: name) }
        let path = try path(of: name, in: directory)
        return try FileLock(path: directory + "/lock").whileHeld {
            removeAbandoned(in: directory)
            guard !isServed(path) else { throw Errno.addressInUse }
            return try ServiceSocket(at: path)
        }
    }

    /// Connects to the service called `name` in the network namespace of the calling thread; nil if
    /// there is none.
    ///
    /// - Parameter patience: the timeout of sending and receiving; whole seconds.
    public static func connect(
        to name: String, patience: Duration
    ) throws(KernelError) -> MessageChannel? {
        for directory in directories where isTrusted(directory) {
            let path = try path(of: name, in: directory)
            let status = unsafe lc_service_connect(path, seconds(patience))
            guard status < 0 else {
                return MessageChannel(adopting: FileDescriptor(rawValue: status))
            }
            let reason = Errno(rawValue: -status)
            guard [.noSuchFileOrDirectory, .connectionRefused].contains(reason) else {
                throw KernelError(.open, subject: "the socket \(path)", errno: reason)
            }
        }
        guard !mayHaveDirectory else { return nil }
        return try ServiceSocket.connect(to: name, patience: patience)
    }

    /// Removes the sockets of services that were killed.
    public static func removeAbandoned() {
        for directory in directories where isOwn(directory) {
            try? FileLock(path: directory + "/lock", patience: .seconds(1)).whileHeld {
                removeAbandoned(in: directory)
            }
        }
    }

    /// Call with the lock held: a socket file without a listener is abandoned.
    private static func removeAbandoned(in directory: String) {
        for file in SmallFile.names(in: directory) where file != "lock" {
            let path = "\(directory)/\(file)"
            if !isServed(path) { _ = unsafe unlink(path) }
        }
    }

    private static func isServed(_ path: String) -> Bool {
        let status = unsafe lc_service_connect(path, 1)
        guard status < 0 else {
            close(status)
            return true
        }
        return ![.connectionRefused, .noSuchFileOrDirectory].contains(Errno(rawValue: -status))
    }

    private static func seconds(_ duration: Duration) -> Int32 {
        Int32(max(1, duration.components.seconds))
    }

    private static func path(
        of name: String, in directory: String
    ) throws(KernelError) -> String {
        let path = "\(directory)/\(name)-\(try NetworkNamespace.currentInode())"
        // The kernel's limit for a path, less the suffix of a socket that is not ready yet.
        guard path.utf8.count <= 100 else {
            throw KernelError(.create, subject: path, errno: .fileNameTooLong)
        }
        return path
    }

    // MARK: The directory

    private static var parents: [String] {
        ["/run"] + (unsafe getenv("XDG_RUNTIME_DIR").map { unsafe [String(cString: $0)] } ?? [])
    }

    private static var directories: [String] { parents.map { $0 + "/linkcond-services" } }

    private static var mayHaveDirectory: Bool {
        zip(parents, directories).contains { mayHave(in: $0, $1) }
    }

    /// Whether a directory can be created or is there already: a service of systemd may write to it, and
    /// to nothing else beside it.
    private static func mayHave(in parent: String, _ directory: String) -> Bool {
        unsafe access(parent, W_OK) == 0 || access(directory, W_OK) == 0
    }

    /// The first usable directory, created if needed; nil if there is none.
    private static func ownDirectory() throws(KernelError) -> String? {
        for (parent, directory) in zip(parents, directories)
        where mayHave(in: parent, directory) {
            if unsafe mkdir(directory, 0o755) != 0, errno != EEXIST {
                throw KernelError(.create, subject: directory, errno: Errno(rawValue: errno))
            }
            guard isOwn(directory) else {
                throw KernelError(
                    .create, subject: "\(directory), which belongs to another user",
                    errno: .fileExists)
            }
            // Independent of the umask.
            _ = unsafe chmod(directory, 0o755)
            return directory
        }
        return nil
    }

    private static func isOwn(_ directory: String) -> Bool {
        guard let status = FileStatus(ofFileAt: directory) else { return false }
        return status.isDirectory && status.owner == geteuid()
    }

    /// Whether only root and the effective user can create files in a directory.
    private static func isTrusted(_ directory: String) -> Bool {
        guard let status = FileStatus(ofFileAt: directory) else { return false }
        return status.isDirectory && [0, geteuid()].contains(status.owner)
            && status.permissions & 0o022 == 0
    }
}
