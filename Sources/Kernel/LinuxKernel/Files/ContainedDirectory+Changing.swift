import Glibc
public import SystemPackage

extension ContainedDirectory {
    /// Creates a new file at `path`, replacing any existing one, and opens it for writing.
    public func create(_ path: String) throws(Errno) -> FileDescriptor {
        try reach(path) { directory, name throws(Errno) in
            if unsafe unlinkat(directory, name, 0) != 0, errno != ENOENT { throw .last }
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let number = unsafe openat(directory, name, flags, 0o666)
            guard number >= 0 else { throw .last }
            return FileDescriptor(rawValue: number)
        }
    }

    /// Creates a directory if it does not exist; returns whether it did so.
    @discardableResult
    public func makeDirectory(_ path: String) throws(Errno) -> Bool {
        try reach(path) { directory, name throws(Errno) in
            if unsafe mkdirat(directory, name, 0o755) == 0 { return true }
            guard errno == EEXIST else { throw .last }
            // The existing entry may be a link or a file.
            _ = try Self.descriptor(unsafe openat(directory, name, Self.directoryFlags))
            return false
        }
    }

    /// Changes the owner and group of the entry at `path`.
    public func changeOwner(
        _ path: String, user: UInt32, group: UInt32
    ) throws(Errno) {
        try reach(path) { directory, name throws(Errno) in
            guard unsafe fchownat(directory, name, user, group, AT_SYMLINK_NOFOLLOW) == 0
            else { throw .last }
        }
    }

    /// Renames the file at `path` within its directory, replacing any entry with the new name.
    public func rename(_ path: String, to newName: String) throws(Errno) {
        try reach(path) { directory, name throws(Errno) in
            guard unsafe renameat(directory, name, directory, newName) == 0 else { throw .last }
        }
    }

    /// Removes the entry at `path` with all its content; does nothing if it does not exist.
    public func remove(_ path: String) throws(Errno) {
        try reach(path) { directory, name throws(Errno) in
            try Self.remove(Array(name.utf8CString), in: directory)
        }
    }

    /// By names as the file system has them, which need not be UTF-8.
    private static func remove(_ name: [CChar], in directory: Int32) throws(Errno) {
        if unsafe unlinkat(directory, name, 0) == 0 || errno == ENOENT { return }
        guard errno == EISDIR || errno == EPERM else { throw .last }
        let inside = try openToEmpty(name, in: directory)
        for entry in try rawNames(in: inside) { try remove(entry, in: inside.raw.rawValue) }
        guard unsafe unlinkat(directory, name, AT_REMOVEDIR) == 0 || errno == ENOENT else {
            throw .last
        }
    }

    /// Opens a directory, of which a command may have left even its owner no rights.
    private static func openToEmpty(
        _ name: [CChar], in directory: Int32
    ) throws(Errno) -> OwnedDescriptor {
        var status = stat()
        if unsafe fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IRWXU != S_IRWXU
        {
            _ = unsafe fchmodat(
                directory, name, status.st_mode & 0o7777 | S_IRWXU, AT_SYMLINK_NOFOLLOW)
        }
        return try descriptor(unsafe openat(directory, name, directoryFlags))
    }

    /// Removes an empty directory; returns whether it is gone.
    @discardableResult
    public func removeEmptyDirectory(_ path: String) -> Bool {
        let result = try? reach(path) { directory, name throws(Errno) in
            unsafe unlinkat(directory, name, AT_REMOVEDIR) == 0 || errno == ENOENT
        }
        return result ?? false
    }

    /// Whether there is an entry at `path`, including a symbolic link.
    public func has(_ path: String) -> Bool {
        let found = try? reach(path) { directory, name throws(Errno) in
            unsafe faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
        }
        return found ?? false
    }
}
