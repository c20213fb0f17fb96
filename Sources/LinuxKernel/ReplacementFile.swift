import Glibc
public import SystemPackage

/// New contents of a file, which take the place of the old at once and as a whole, or not at all.
///
/// Until then they have no name, where the file system can do that, and so leave nothing behind.
/// What has to be written in place is: a device or a pipe, what `/dev/fd` names, a file with several
/// names, and one in a directory where the user may not make files.
public final class ReplacementFile: Sendable {
    /// How the contents get to their place.
    private enum Way: Sendable {
        case inPlace
        /// Under the name of an ordinary file that may be there already.
        case byName(String)
        /// Likewise, from a file with this name.
        case byRenaming(String, to: String)
    }

    /// An open file, and what becomes of it.
    private struct Place: ~Copyable {
        let file: OwnedDescriptor
        let way: Way
    }

    private let place: Place

    /// Sees to it that a file can be written, and changes nothing yet.
    ///
    /// - Parameter owner: whose a new file is; nil: the caller's. One that there is keeps its owner
    ///   and its permissions.
    public init(at path: String, owner: (user: UInt32, group: UInt32)?) throws(Errno) {
        guard let target = Self.target(path) else {
            place = Place(file: try Self.open(path, O_WRONLY | O_CREAT), way: .inPlace)
            return
        }
        // Who may not write to it may not replace it either.
        let former = Self.status(target)
        if former != nil { _ = try Self.open(target, O_WRONLY) }
        do {
            place = try Self.aside(of: target)
        } catch {
            guard former != nil else { throw error }
            place = Place(file: try Self.open(target, O_WRONLY), way: .inPlace)
            return
        }
        if let former {
            _ = fchown(place.file.number, former.st_uid, former.st_gid)
            _ = fchmod(place.file.number, former.st_mode & 0o7777)
        } else if let owner {
            _ = fchown(place.file.number, owner.user, owner.group)
        }
    }

    /// Writes the contents, and puts them into their place.
    public func write(_ text: String) throws(Errno) {
        do {
            if case .inPlace = place.way { _ = ftruncate(place.file.number, 0) }
            try place.file.raw.writeAll(text.utf8)
        } catch {
            discard()
            throw error as? Errno ?? .ioError
        }
        switch place.way {
        case .inPlace: break
        case .byRenaming(let name, let target): try rename(name, target)
        case .byName(let target):
            let own = "/proc/self/fd/\(place.file.number)"
            if unsafe linkat(AT_FDCWD, own, AT_FDCWD, target, AT_SYMLINK_FOLLOW) == 0 { return }
            let aside = Self.nameAside(target)
            guard unsafe linkat(AT_FDCWD, own, AT_FDCWD, aside, AT_SYMLINK_FOLLOW) == 0 else {
                throw Errno(rawValue: errno)
            }
            try rename(aside, target)
        }
    }

    /// Half of it is worth nothing.
    private func discard() {
        switch place.way {
        case .inPlace: _ = ftruncate(place.file.number, 0)
        case .byName: break
        case .byRenaming(let name, _): _ = unsafe unlink(name)
        }
    }

    private func rename(_ name: String, _ target: String) throws(Errno) {
        guard unsafe Glibc.rename(name, target) != 0 else { return }
        let reason = Errno(rawValue: errno)
        _ = unsafe unlink(name)
        throw reason
    }

    private static func aside(of target: String) throws(Errno) -> Place {
        let slash = target.lastIndex(of: "/") ?? target.startIndex
        let directory = target[..<slash].isEmpty ? "/" : String(target[..<slash])
        do {
            return Place(file: try open(directory, O_WRONLY | unnamed), way: .byName(target))
        } catch {
            // As file systems say that cannot do that, some of them of a directory.
            guard [.notSupported, .isDirectory, .invalidArgument].contains(error) else {
                throw error
            }
        }
        let name = nameAside(target)
        return Place(
            file: try open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW),
            way: .byRenaming(name, to: target))
    }

    /// `O_TMPFILE`, which Swift does not see.
    private static let unnamed = 0o20_000_000 | O_DIRECTORY

    private static func nameAside(_ target: String) -> String { "\(target).\(getpid()).partial" }

    /// The path of an ordinary file that is there or may be made, without symbolic links; nil for
    /// what cannot be replaced.
    private static func target(_ path: String) -> String? {
        guard !["/dev/", "/proc/"].contains(where: path.hasPrefix) else { return nil }
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
