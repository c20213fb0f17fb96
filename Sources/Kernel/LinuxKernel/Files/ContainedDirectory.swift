import Glibc
public import SystemPackage

/// A directory with untrusted content: whatever links it contains, nothing outside of it is read or
/// written.
///
/// Theory of operation. Each component of a path is opened relative to the directory before it,
/// never through a link (`O_NOFOLLOW`), and `..` is refused. This works on every kernel, even while
/// others move files about, and needs no prior check: openat2(2) does the same with
/// `RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS`.
public final class ContainedDirectory: Sendable {
    let owned: OwnedDescriptor

    /// Opens the directory at `path`, following symbolic links.
    public init(_ path: String) throws(Errno) {
        let number = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw .last }
        owned = OwnedDescriptor(adopting: FileDescriptor(rawValue: number))
    }

    /// An entry of a directory.
    public struct Entry: Sendable, Hashable {
        /// The path, relative to the contained directory.
        public let path: String
        /// Whether it is a regular file, rather than a link, a pipe or a device.
        public let isRegular: Bool
    }

    /// Opens the regular file at `path` for reading.
    public func open(_ path: String) throws(InputFileError) -> OwnedDescriptor {
        do {
            let file = try reach(path) { directory, name throws(Errno) in
                try Self.descriptor(unsafe openat(directory, name, InputFile.flags | O_NOFOLLOW))
            }
            _ = try InputFile.size(of: file.raw)
            return file
        } catch {
            switch error {
            // The errors of O_NOFOLLOW for a link and of the kernel for a socket.
            case Errno.tooManySymbolicLinkLevels, Errno.noSuchAddressOrDevice:
                throw InputFileError.notRegular
            default: throw error as? InputFileError ?? .unreadable(error as? Errno ?? .ioError)
            }
        }
    }

    /// The bytes of the regular file at `path`, which may have at most `limit`.
    public func read(_ path: String, limit: Int) throws(InputFileError) -> [UInt8] {
        try InputFile.read(try open(path), limit: limit)
    }

    /// The files in the directory at `path` and in all its subdirectories, without the directories
    /// themselves, sorted by name; at most about `limit` entries.
    public func files(below path: String, limit: Int) throws(Errno) -> [Entry] {
        var found: [Entry] = []
        var waiting = [path]
        while let directory = waiting.popLast(), found.count + waiting.count < limit {
            for (name, kind) in try list(directory) {
                let path = "\(directory)/\(name)"
                switch kind {
                case S_IFDIR: waiting.append(path)
                default: found.append(Entry(path: path, isRegular: kind == S_IFREG))
                }
            }
        }
        return found.sorted { $0.path < $1.path }
    }

    /// The names in a directory, with their file types.
    func list(_ path: String) throws(Errno) -> [(name: String, kind: mode_t)] {
        let directory = try reach(path) { parent, name throws(Errno) in
            try Self.descriptor(unsafe openat(parent, name, Self.directoryFlags))
        }
        // closedir(3) closes the descriptor.
        guard let stream = unsafe fdopendir(dup(directory.raw.rawValue)) else { throw .last }
        defer { _ = unsafe closedir(stream) }
        var entries: [(name: String, kind: mode_t)] = []
        for name in unsafe DirectoryStream.names(stream) where ![".", ".."].contains(name) {
            var status = stat()
            guard unsafe fstatat(directory.raw.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0
            else { continue }
            entries.append((name, status.st_mode & S_IFMT))
        }
        return entries
    }

    // MARK: Steps

    static let directoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

    static func descriptor(_ number: Int32) throws(Errno) -> OwnedDescriptor {
        guard number >= 0 else { throw .last }
        return OwnedDescriptor(adopting: FileDescriptor(rawValue: number))
    }

    /// Calls `body` with the parent directory of `path` and the last component.
    func reach<Result: ~Copyable>(
        _ path: String, _ body: (Int32, String) throws(Errno) -> Result
    ) throws(Errno) -> Result {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let name = parts.last, !path.contains("\0"),
            !parts.contains(where: { ["", ".", ".."].contains($0) })
        else { throw .invalidArgument }
        return try step(into: parts.dropLast(), from: owned.raw.rawValue, name, body)
    }

    private func step<Result: ~Copyable>(
        into parts: ArraySlice<String>, from directory: Int32, _ name: String,
        _ body: (Int32, String) throws(Errno) -> Result
    ) throws(Errno) -> Result {
        guard let first = parts.first else { return try body(directory, name) }
        let next = try Self.descriptor(unsafe openat(directory, first, Self.directoryFlags))
        return try step(into: parts.dropFirst(), from: next.raw.rawValue, name, body)
    }
}
