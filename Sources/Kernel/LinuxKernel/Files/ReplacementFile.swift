import Glibc
public import SystemPackage

/// Replaces the contents of a file atomically: as a whole, or not at all.
///
/// Until then the new contents are an unnamed file, so that nothing is left behind. Where the file
/// system lacks unnamed files, they have a name only while they are written. Some targets have to
/// be written in place: a device or a pipe, what `/dev/fd` names, a file with several names, and
/// one in a directory where the user may not create files.
public final class ReplacementFile: Sendable {
    /// How the contents get to their path.
    private enum Method: Sendable {
        case inPlace
        /// By giving an unnamed file the path of an ordinary file, which may exist already.
        case byName(String)
        /// Likewise, by renaming a temporary file in the same directory.
        case byRenaming(String)
    }

    /// An open file, and how it gets to its path.
    private struct Place: ~Copyable {
        let file: OwnedDescriptor
        let method: Method
    }

    /// The owner and permissions of a file.
    private struct Rights: Sendable {
        let user: UInt32
        let group: UInt32
        /// nil: as for any new file.
        var mode: mode_t?

        func give(to file: borrowing OwnedDescriptor) {
            _ = fchown(file.number, user, group)
            if let mode { _ = fchmod(file.number, mode) }
        }
    }

    private let place: Place
    private let rights: Rights?

    /// Checks that the file can be written, and changes nothing yet.
    ///
    /// - Parameter owner: the owner of a new file; nil: the caller. An existing one keeps its owner
    ///   and permissions.
    public init(at path: String, owner: (user: UInt32, group: UInt32)?) throws(Errno) {
        guard let target = Self.target(path) else {
            place = Place(file: try Self.open(path, O_WRONLY | O_CREAT), method: .inPlace)
            rights = nil
            return
        }
        // A user who may not write to the file may not replace it either.
        let former = Self.status(target)
        if former != nil { _ = try Self.open(target, O_WRONLY) }
        do {
            place = try Self.aside(of: target)
        } catch {
            // If there is no space for the new file, the existing one is kept.
            guard former != nil, ![.noSpace, .diskQuotaExceeded].contains(error) else {
                throw error
            }
            place = Place(file: try Self.open(target, O_WRONLY), method: .inPlace)
            rights = nil
            return
        }
        rights =
            former.map { Rights(user: $0.st_uid, group: $0.st_gid, mode: $0.st_mode & 0o7777) }
            ?? owner.map { Rights(user: $0.user, group: $0.group) }
    }

    /// Writes the contents and moves them to the path.
    ///
    /// - Parameter isNew: whether a file that has appeared there meanwhile is an error.
    public func write(_ text: String, asNew isNew: Bool = false) throws(Errno) {
        switch place.method {
        case .inPlace:
            _ = ftruncate(place.file.number, 0)
            do {
                try Self.fill(place.file, with: text)
            } catch {
                // Half of the contents is worth nothing.
                _ = ftruncate(place.file.number, 0)
                throw error
            }
        case .byName(let target):
            rights?.give(to: place.file)
            try Self.fill(place.file, with: text)
            try name(target, isNew: isNew)
        case .byRenaming(let target):
            let aside = Self.nameAside(target)
            let file = try Self.create(aside)
            do {
                rights?.give(to: file)
                try Self.fill(file, with: text)
                if isNew, Self.status(target) != nil { throw Errno.fileExists }
            } catch {
                _ = unsafe unlink(aside)
                throw error as? Errno ?? .ioError
            }
            try Self.rename(aside, target)
        }
    }

    private static func fill(
        _ file: borrowing OwnedDescriptor, with text: String
    ) throws(Errno) {
        do {
            try file.raw.writeAll(text.utf8)
        } catch {
            throw error as? Errno ?? .ioError
        }
        // Network file systems report a lack of space only when a descriptor is closed. If there is
        // no descriptor left for the copy, this check is skipped.
        let copy = dup(file.number)
        guard copy < 0 || Glibc.close(copy) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Gives the unnamed file its name.
    private func name(_ target: String, isNew: Bool) throws(Errno) {
        let own = Self.ownName(place.file.number)
        if unsafe linkat(AT_FDCWD, own, AT_FDCWD, target, AT_SYMLINK_FOLLOW) == 0 { return }
        let reason = Errno(rawValue: errno)
        guard !isNew, reason == .fileExists else { throw reason }
        let aside = Self.nameAside(target)
        guard unsafe linkat(AT_FDCWD, own, AT_FDCWD, aside, AT_SYMLINK_FOLLOW) == 0 else {
            throw Errno(rawValue: errno)
        }
        try Self.rename(aside, target)
    }

    private static func rename(_ name: String, _ target: String) throws(Errno) {
        guard unsafe Glibc.rename(name, target) != 0 else { return }
        let reason = Errno(rawValue: errno)
        _ = unsafe unlink(name)
        throw reason
    }

    /// The path by which an unnamed file can be linked.
    private static func ownName(_ descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    private static func aside(of target: String) throws(Errno) -> Place {
        let slash = target.lastIndex(of: "/") ?? target.startIndex
        let directory = target[..<slash].isEmpty ? "/" : String(target[..<slash])
        do {
            let file = try open(directory, O_WRONLY | unnamed)
            // There may be no /proc.
            if status(ownName(file.number)) != nil {
                return Place(file: file, method: .byName(target))
            }
        } catch {
            // The errors of file systems without unnamed files; some report it for a directory.
            guard [.notSupported, .isDirectory, .invalidArgument].contains(error) else {
                throw error
            }
        }
        // Only checks that it can be created.
        let name = nameAside(target)
        let file = try create(name)
        _ = unsafe unlink(name)
        return Place(file: file, method: .byRenaming(target))
    }

    private static func create(_ name: String) throws(Errno) -> OwnedDescriptor {
        try open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
    }

    /// `O_TMPFILE`, which Swift cannot import.
    private static let unnamed = 0o20_000_000 | O_DIRECTORY

    private static func nameAside(_ target: String) -> String { "\(target).\(getpid()).partial" }

    /// The path, without symbolic links, of an ordinary file that exists or may be created; nil for
    /// what cannot be replaced.
    private static func target(_ path: String) -> String? {
        guard
            !["/dev/", "/proc/"].contains(where: path.hasPrefix) || path.hasPrefix("/dev/shm/")
        else { return nil }
        if let status = status(path) {
            guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else { return nil }
            return resolved(path)
        }
        // A dangling symbolic link says where the file is to be created.
        var link = stat()
        guard unsafe lstat(path, &link) != 0 else { return nil }
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { path[...$0] } ?? "./"
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        guard !name.isEmpty else { return nil }
        return resolved(String(directory)).map { $0 == "/" ? "/\(name)" : "\($0)/\(name)" }
    }

    private static func resolved(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status : nil
    }

    private static func open(_ path: String, _ mode: Int32) throws(Errno) -> OwnedDescriptor {
        let number = unsafe Glibc.open(path, mode | O_CLOEXEC, 0o666)
        return try OwnedDescriptor(status: number < 0 ? -errno : number)
    }
}
