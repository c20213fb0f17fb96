import Glibc
import SystemPackage

/// The directory for what linkcond keeps while it works: locks, and what has to be put back.
///
/// It is `/run/linkcond`, or for somebody who may not write there `$XDG_RUNTIME_DIR/linkcond`; with
/// the next boot it is gone, as everything is that linkcond adds to a kernel. Nobody but its owner
/// can open anything in it, so that nobody else can take a lock there.
public struct StateDirectory: Sendable, Hashable {
    /// Where it is.
    public let path: String

    /// The directory of this process, made if needed.
    public init() throws(KernelError) {
        try self.init(firstOf: Self.candidates(Self.runtimeDirectory))
    }

    /// The directory in an environment, made if needed.
    public init(environment: [String: String]) throws(KernelError) {
        try self.init(firstOf: Self.candidates(environment["XDG_RUNTIME_DIR"]))
    }

    /// The directories that there are, for reading.
    public static func existing(environment: [String: String]) -> [StateDirectory] {
        candidates(environment["XDG_RUNTIME_DIR"])
            .filter { unsafe access($0, F_OK) == 0 }.map { StateDirectory(path: $0) }
    }

    private init(path: String) {
        self.path = path
    }

    private static func candidates(_ runtimeDirectory: String?) -> [String] {
        [system] + (runtimeDirectory.map { ["\($0)/linkcond"] } ?? [])
    }

    private static var runtimeDirectory: String? {
        unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
    }

    private static let system = "/run/linkcond"

    /// Takes the first of `candidates` that can be written to.
    public init(firstOf candidates: [String]) throws(KernelError) {
        var failures: [String] = []
        var reason = Errno.noSuchFileOrDirectory
        for candidate in candidates {
            do {
                try Self.prepare(candidate)
                path = candidate
                return
            } catch {
                reason = error
                let isForeign = error == .notPermitted
                failures.append(candidate + (isForeign ? ", which belongs to another user" : ""))
            }
        }
        throw KernelError(.create, subject: failures.joined(separator: " or "), errno: reason)
    }

    /// Makes the directory, or sees to it that the one that there is belongs to the effective user
    /// alone.
    private static func prepare(_ path: String) throws(Errno) {
        try make(path)
        let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        let directory = try OwnedDescriptor(status: number < 0 ? -errno : number)
        guard let status = FileStatus(of: directory.raw) else { throw .ioError }
        if status.owner != geteuid() {
            // Root's own place, which another has taken. What is in there is looked at file by
            // file (`PrivateFile`), as one that holds this directory open can add nothing more.
            guard path == system, fchown(directory.number, geteuid(), getegid()) == 0 else {
                throw .notPermitted
            }
        }
        if status.permissions != 0o700, fchmod(directory.number, 0o700) != 0 {
            throw Errno(rawValue: errno)
        }
        // A file system that is mounted for reading only still has the directory.
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
    /// Where a file of this name is.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Waits until no other process has the lock of this name, and takes it.
    public func lock(_ name: String) throws(KernelError) -> FileLock {
        try FileLock(path: path(of: name))
    }

    /// What a file holds; nil if there is none of the effective user's.
    public func read(_ name: String) -> [UInt8]? {
        let number = unsafe open(path(of: name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let file = OwnedDescriptor(adopting: FileDescriptor(rawValue: number))
        guard let status = FileStatus(of: file.raw), status.isOrdinary, status.owner == geteuid()
        else { return nil }
        return try? file.raw.readAll(limit: Self.longestFile)
    }

    /// Writes the whole file or, on a crash, nothing. For one process at a time.
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

    /// Removes a file, or a directory that is empty.
    public func remove(_ name: String) {
        _ = unsafe Glibc.remove(path(of: name))
    }

    /// The names of the files in a directory of it, or in itself.
    public func names(in subdirectory: String = "") -> [String] {
        SmallFile.names(in: path(of: subdirectory))
    }

    /// When a file was changed last, in seconds since 1970; nil if there is none.
    public func modificationTime(of name: String) -> Int64? {
        FileStatus(ofFileAt: path(of: name))?.modified
    }

    /// Removes what processes have left in `subdirectory` that were killed while they wrote. For
    /// whoever alone may write there.
    public func removePartialFiles(in subdirectory: String) {
        for name in names(in: subdirectory) where name.hasSuffix(Self.partialSuffix) {
            remove(subdirectory.isEmpty ? name : "\(subdirectory)/\(name)")
        }
    }

    private static let partialSuffix = ".partial"
    private static let longestFile = 1 << 20
}
