import Glibc
import SystemPackage

/// The directory for linkcond's runtime state: locks, and what has to be restored.
///
/// It is `/run/linkcond`, or `$XDG_RUNTIME_DIR/linkcond` for users who may not write there. It is
/// gone after a reboot, like everything that linkcond adds to a kernel. Only its owner can open
/// anything in it, so nobody else can take a lock there.
public struct StateDirectory: Sendable, Hashable {
    /// Its path.
    public let path: String
    private let owner: UInt32

    /// The directory of this process, created if needed.
    public init() throws(KernelError) {
        try self.init(firstOf: Self.candidates(Self.runtimeDirectory))
    }

    /// The directory for an environment, created if needed.
    public init(environment: [String: String]) throws(KernelError) {
        try self.init(firstOf: Self.candidates(environment["XDG_RUNTIME_DIR"]))
    }

    /// The existing directories, for reading.
    public static func existing(environment: [String: String]) -> [StateDirectory] {
        candidates(environment["XDG_RUNTIME_DIR"])
            .filter { unsafe access($0, F_OK) == 0 }.map { StateDirectory(path: $0) }
    }

    /// For root, the existing directories of all users who are logged in, for reading.
    public static var ofUsers: [StateDirectory] {
        guard geteuid() == 0 else { return [] }
        return SmallFile.names(in: "/run/user").compactMap { name in
            UInt32(name).map { StateDirectory(path: "/run/user/\(name)/linkcond", owner: $0) }
        }.filter { unsafe access($0.path, F_OK) == 0 }
    }

    private init(path: String, owner: UInt32 = geteuid()) {
        self.path = path
        self.owner = owner
    }

    private static func candidates(_ runtimeDirectory: String?) -> [String] {
        [system] + (runtimeDirectory.map { ["\($0)/linkcond"] } ?? [])
    }

    private static var runtimeDirectory: String? {
        unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
    }

    private static let system = "/run/linkcond"

    /// Uses the first of `candidates` that is writable.
    public init(firstOf candidates: [String]) throws(KernelError) {
        var failures: [String] = []
        var reason = Errno.noSuchFileOrDirectory
        for candidate in candidates {
            do {
                try Self.prepare(candidate)
                self.init(path: candidate)
                return
            } catch {
                reason = error
                let isForeign = error == .notPermitted
                failures.append(candidate + (isForeign ? ", which belongs to another user" : ""))
            }
        }
        throw KernelError(.create, subject: failures.joined(separator: " or "), errno: reason)
    }

    /// Creates the directory, or makes an existing one private to the effective user.
    private static func prepare(_ path: String) throws(Errno) {
        try make(path)
        let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        let directory = try OwnedDescriptor(status: number < 0 ? -errno : number)
        guard let status = FileStatus(of: directory.raw) else { throw .ioError }
        if status.owner != geteuid() {
            // Another user owns root's own directory. Its files are checked one by one
            // (`PrivateFile`), since a process that holds the directory open can add nothing more.
            guard path == system, fchown(directory.number, geteuid(), getegid()) == 0 else {
                throw .notPermitted
            }
        }
        if status.permissions != 0o700, fchmod(directory.number, 0o700) != 0 {
            throw Errno(rawValue: errno)
        }
        // The directory may be on a file system that is mounted read-only.
        guard unsafe access(path, W_OK) == 0 else { throw Errno(rawValue: errno) }
    }

    private static func make(_ path: String) throws(Errno) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        let reason = Errno(rawValue: errno)
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        guard reason == .noSuchFileOrDirectory, !parent.isEmpty else { throw reason }
        try make(parent)
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw Errno(rawValue: errno)
    }
}

extension StateDirectory {
    /// The path of the file with this name.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Waits until no other process holds the lock of this name, and takes it.
    public func lock(_ name: String) throws(KernelError) -> FileLock {
        try FileLock(path: path(of: name))
    }

    /// The content of a file; nil if the user has no such file.
    public func read(_ name: String) -> [UInt8]? {
        let number = unsafe open(path(of: name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let file = OwnedDescriptor(adopting: FileDescriptor(rawValue: number))
        guard let status = FileStatus(of: file.raw), status.isOrdinary, status.owner == owner
        else { return nil }
        return try? file.raw.readAll(limit: Self.longestFile)
    }

    /// Writes the whole file, or nothing if the process crashes. For one process at a time.
    public func write(_ name: String, _ bytes: [UInt8]) throws(KernelError) {
        let partial = path(of: name) + Self.partialSuffix
        do {
            if let slash = name.lastIndex(of: "/") {
                try Self.make(path(of: String(name[..<slash])))
            }
            _ = unsafe unlink(partial)
            let file = try PrivateFile.open(partial)
            try file.raw.writeAll(bytes)
        } catch {
            _ = unsafe unlink(partial)
            throw (error as? KernelError)
                ?? KernelError(.write, subject: path(of: name), errno: error as? Errno ?? .ioError)
        }
        try SmallFile.rename(partial, to: path(of: name))
    }

    /// Removes a file or an empty directory.
    public func remove(_ name: String) {
        _ = unsafe Glibc.remove(path(of: name))
    }

    /// The names of the files in a subdirectory, or in the directory itself.
    public func names(in subdirectory: String = "") -> [String] {
        SmallFile.names(in: path(of: subdirectory))
    }

    /// When a file was last modified, since 1970; nil if it does not exist.
    public func modificationTime(of name: String) -> Duration? {
        FileStatus(ofFileAt: path(of: name))?.modified
    }

    /// Removes the partial files in `subdirectory` of processes that were killed while writing.
    /// Only for the process that alone may write there.
    public func removePartialFiles(in subdirectory: String) {
        for name in names(in: subdirectory) where name.hasSuffix(Self.partialSuffix) {
            remove(subdirectory.isEmpty ? name : "\(subdirectory)/\(name)")
        }
    }

    private static let partialSuffix = ".partial"
    private static let longestFile = 1 << 20
}
