import Glibc
public import SystemPackage

extension ContainedDirectory {
    /// Makes a new file at `path` in place of what is there, and opens it for writing.
    public func create(_ path: String) throws(Errno) -> FileDescriptor {
        try reach(path) { directory, name throws(Errno) in
            if unsafe unlinkat(directory, name, 0) != 0, errno != ENOENT { throw .last }
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let number = unsafe openat(directory, name, flags, 0o666)
            guard number >= 0 else { throw .last }
            return FileDescriptor(rawValue: number)
        }
    }

    /// Makes a directory, if it is not there; returns whether it was not.
    @discardableResult
    public func makeDirectory(_ path: String) throws(Errno) -> Bool {
        try reach(path) { directory, name throws(Errno) in
            if unsafe mkdirat(directory, name, 0o755) == 0 { return true }
            guard errno == EEXIST else { throw .last }
            // What is there may be a link, or a file.
            _ = try Self.descriptor(unsafe openat(directory, name, Self.directoryFlags))
            return false
        }
    }

    /// Gives what is at `path` to a user and a group.
    public func changeOwner(
        _ path: String, user: UInt32, group: UInt32
    ) throws(Errno) {
        try reach(path) { directory, name throws(Errno) in
            guard unsafe fchownat(directory, name, user, group, AT_SYMLINK_NOFOLLOW) == 0
            else { throw .last }
        }
    }

    /// Gives the file at `path` another name in the same directory, in place of what has that.
    public func rename(_ path: String, to newName: String) throws(Errno) {
        try reach(path) { directory, name throws(Errno) in
            guard unsafe renameat(directory, name, directory, newName) == 0 else { throw .last }
        }
    }

    /// Takes away what is at `path`, with all that is in it; what is not there need not be.
    public func remove(_ path: String) throws(Errno) {
        let isDirectory = try reach(path) { directory, name throws(Errno) in
            if unsafe unlinkat(directory, name, 0) == 0 || errno == ENOENT { return false }
            guard errno == EISDIR || errno == EPERM else { throw .last }
            return true
        }
        guard isDirectory else { return }
        for (name, _) in try list(path) { try remove("\(path)/\(name)") }
        try reach(path) { directory, name throws(Errno) in
            guard unsafe unlinkat(directory, name, AT_REMOVEDIR) == 0 || errno == ENOENT
            else { throw .last }
        }
    }

    /// Takes away a directory that has nothing in it; returns whether it is gone.
    @discardableResult
    public func removeEmptyDirectory(_ path: String) -> Bool {
        let result = try? reach(path) { directory, name throws(Errno) in
            unsafe unlinkat(directory, name, AT_REMOVEDIR) == 0 || errno == ENOENT
        }
        return result ?? false
    }

    /// Whether something is at `path`, a link included.
    public func has(_ path: String) -> Bool {
        let found = try? reach(path) { directory, name throws(Errno) in
            unsafe faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0
        }
        return found ?? false
    }
}
