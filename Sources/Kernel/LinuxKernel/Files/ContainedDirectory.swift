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

    /// What a directory and its subdirectories contain.
    public struct Listing: Sendable {
        /// The files, sorted by path.
        public var files: [Entry] = []
        /// What nobody can look at, and why.
        public var hidden: [(path: String, reason: String)] = []

        /// Makes one that has nothing but what is hidden.
        public init(hidden: [(path: String, reason: String)] = []) {
            self.hidden = hidden
        }
    }

    /// Lists the directory at `path` and all its subdirectories, without these themselves; at most
    /// about `limit` entries.
    public func files(below path: String, limit: Int) throws(Errno) -> Listing {
        var listing = Listing()
        var waiting = [path]
        while let directory = waiting.popLast(), listing.files.count + waiting.count < limit {
            do throws(Errno) {
                for (name, kind) in try list(directory) {
                    let path = "\(directory)/\(name)"
                    switch kind {
                    case S_IFDIR: waiting.append(path)
                    case nil: listing.hidden.append((path, "its name is not UTF-8"))
                    default: listing.files.append(Entry(path: path, isRegular: kind == S_IFREG))
                    }
                }
            } catch {
                if directory == path { throw error }
                listing.hidden.append((directory, "\(error)"))
            }
        }
        listing.files.sort { $0.path < $1.path }
        return listing
    }

    /// The names in a directory, with their file types; no type if a name is not UTF-8.
    private func list(_ path: String) throws(Errno) -> [(name: String, kind: mode_t?)] {
        let directory = try reach(path) { parent, name throws(Errno) in
            try Self.descriptor(unsafe openat(parent, name, Self.directoryFlags))
        }
        var entries: [(name: String, kind: mode_t?)] = []
        for raw in try Self.rawNames(in: directory) {
            let bytes = raw.dropLast().map(UInt8.init(bitPattern:))
            guard let name = String(validating: bytes, as: UTF8.self) else {
                entries.append((DirectoryStream.text(of: raw), nil))
                continue
            }
            var status = stat()
            guard unsafe fstatat(directory.raw.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0
            else { continue }
            entries.append((name, status.st_mode & S_IFMT))
        }
        return entries
    }

    static func rawNames(in directory: borrowing OwnedDescriptor) throws(Errno) -> [[CChar]] {
        // closedir(3) closes the descriptor.
        guard let stream = unsafe fdopendir(dup(directory.raw.rawValue)) else { throw .last }
        defer { _ = unsafe closedir(stream) }
        return unsafe DirectoryStream.rawNames(stream)
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
