import CLinux
import Glibc
public import SystemPackage

/// What several processes need that share a directory, perhaps on several machines: only calls that
/// are atomic on network file systems, too.
extension ContainedDirectory {
    /// The names in the directory at `path`, without their types, which cost a call each; those in
    /// this directory for an empty path.
    public func names(in path: String = "") throws(Errno) -> [String] {
        let directory: OwnedDescriptor
        if path.isEmpty {
            directory = try Self.descriptor(
                unsafe openat(owned.raw.rawValue, ".", Self.directoryFlags))
        } else {
            directory = try reach(path) { parent, name throws(Errno) in
                try Self.descriptor(unsafe openat(parent, name, Self.directoryFlags))
            }
        }
        // closedir(3) closes the descriptor.
        guard let stream = unsafe fdopendir(dup(directory.raw.rawValue)) else { throw .last }
        defer { _ = unsafe closedir(stream) }
        return unsafe DirectoryStream.names(stream)
    }

    /// Creates a file at `path` and opens it for writing; nil if there is an entry already: of all
    /// processes on all machines, one succeeds.
    public func createFirst(_ path: String) throws(Errno) -> FileDescriptor? {
        try reach(path) { directory, name throws(Errno) in
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let number = unsafe openat(directory, name, flags, 0o666)
            if number < 0, errno == EEXIST { return nil }
            guard number >= 0 else { throw .last }
            return FileDescriptor(rawValue: number)
        }
    }

    /// Gives the file at `path` a second name in its directory, unless there is an entry with it; of
    /// all processes on all machines, one succeeds. Returns whether this one did.
    public func link(_ path: String, to newName: String) throws(Errno) -> Bool {
        try reach(path) { directory, name throws(Errno) in
            if unsafe linkat(directory, name, directory, newName, 0) == 0 { return true }
            guard errno == EEXIST else { throw .last }
            return false
        }
    }

    /// Opens the regular file at `path`, whose content will be overwritten in place.
    public func openToOverwrite(_ path: String) throws(Errno) -> OwnedDescriptor {
        try reach(path) { directory, name throws(Errno) in
            let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            let file = try Self.descriptor(unsafe openat(directory, name, flags))
            guard FileStatus(of: file.raw)?.isOrdinary == true else { throw .invalidArgument }
            return file
        }
    }

    /// Locks the file at `path` as long as the result lives, or a process forked meanwhile.
    /// Equivalent to `flock(1)`; where the file system has no locks, nothing is locked.
    ///
    /// - Returns: Nil if another process holds the lock.
    public func lock(_ path: String) throws(Errno) -> OwnedDescriptor? {
        let file = try openToLock(path)
        if lc_lock_file(file.raw.rawValue) == -EWOULDBLOCK { return nil }
        // Who had it may have replaced the file meanwhile, and another may have locked the new one.
        let current = try openToLock(path)
        let status = FileStatus(of: current.raw)
        guard FileStatus(of: file.raw)?.isSameFile(as: status) == true else { return nil }
        return file
    }

    private func openToLock(_ path: String) throws(Errno) -> OwnedDescriptor {
        try reach(path) { directory, name throws(Errno) in
            let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            return try Self.descriptor(unsafe openat(directory, name, flags))
        }
    }

    /// The process that holds the lock of the file at `path`, for messages.
    public func lockHolder(_ path: String) -> String? {
        guard let file = try? open(path) else { return nil }
        return FileStatus(of: file.raw).flatMap(LockTable.holder)
    }
}
