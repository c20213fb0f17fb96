import Glibc
public import SystemPackage

/// New contents of a file, which take the place of the old at once and as a whole, or not at all.
///
/// Until then they have no name, and so leave nothing behind; where the file system cannot do that
/// they have one for the moment in which they are written. What has to be written in place is: a
/// device or a pipe, what `/dev/fd` names, a file with several names, and one in a directory where
/// the user may not make files.
public final class ReplacementFile: Sendable {
    /// How the contents get to their place.
    private enum Method: Sendable {
        case inPlace
        /// Under the name of an ordinary file that may be there already.
        case byName(String)
        /// Likewise, from a file beside it that is made when its contents are known.
        case byRenaming(String)
    }

    /// An open file, and what becomes of it.
    private struct Place: ~Copyable {
        let file: OwnedDescriptor
        let method: Method
    }

    /// Whose a file is, and who may do what with it.
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

    /// Sees to it that a file can be written, and changes nothing yet.
    ///
    /// - Parameter owner: whose a new file is; nil: the caller's. One that there is keeps its owner
    ///   and its permissions.
    public init(at path: String, owner: (user: UInt32, group: UInt32)?) throws(Errno) {
        guard let target = Self.target(path) else {
            place = Place(file: try Self.open(path, O_WRONLY | O_CREAT), method: .inPlace)
            rights = nil
            return
        }
        // Who may not write to it may not replace it either.
        let former = Self.status(target)
        if former != nil { _ = try Self.open(target, O_WRONLY) }
        do {
            place = try Self.aside(of: target)
        } catch {
            // What is there is not given up for something that finds no room.
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

    /// Writes the contents, and puts them into their place.
    ///
    /// - Parameter isNew: whether a file that has appeared there meanwhile is an error.
    public func write(_ text: String, asNew isNew: Bool = false) throws(Errno) {
        switch place.method {
        case .inPlace:
            _ = ftruncate(place.file.number, 0)
            do {
                try Self.fill(place.file, with: text)
            } catch {
                // Half of it is worth nothing.
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
        // File systems of other hosts say only when a descriptor is closed that there is no room for
        // what was written. Without descriptors there is nothing to close.
        let copy = dup(file.number)
        guard copy < 0 || Glibc.close(copy) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Gives the file without a name one.
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

    /// Under which a file without a name can be given one.
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
            // As file systems say that cannot do that, some of them of a directory.
            guard [.notSupported, .isDirectory, .invalidArgument].contains(error) else {
                throw error
            }
        }
        // Only to see that it can be made.
        let name = nameAside(target)
        let file = try create(name)
        _ = unsafe unlink(name)
        return Place(file: file, method: .byRenaming(target))
    }

    private static func create(_ name: String) throws(Errno) -> OwnedDescriptor {
        try open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
    }

    /// `O_TMPFILE`, which Swift does not see.
    private static let unnamed = 0o20_000_000 | O_DIRECTORY

    private static func nameAside(_ target: String) -> String { "\(target).\(getpid()).partial" }

    /// The path of an ordinary file that is there or may be made, without symbolic links; nil for
    /// what cannot be replaced.
    private static func target(_ path: String) -> String? {
        guard
            !["/dev/", "/proc/"].contains(where: path.hasPrefix) || path.hasPrefix("/dev/shm/")
        else { return nil }
        if let status = status(path) {
            guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else { return nil }
            return resolved(path)
        }
        // Where a symbolic link leads nowhere, it says where the file is to be made.
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
