import CLinux
import Glibc
public import SystemPackage

/// Unix stream sockets at paths, used like TCP.
extension StreamListener {
    /// Listens at a path of the file system. A socket that is there but has no listener is replaced.
    ///
    /// - Throws: `Errno.addressInUse` if the path exists, `Errno.fileNameTooLong` for more than 107
    ///   bytes.
    public init(atPath path: String) throws(Errno) {
        self.init(adopting: try OwnedDescriptor(status: unsafe lc_local_listen(path)))
    }

    /// The next connection of a listener at a path.
    public borrowing func acceptLocal() throws(Errno) -> StreamSocket {
        StreamSocket(
            adopting: try OwnedDescriptor(status: lc_local_accept(descriptor.rawValue)))
    }

    /// Whether it listens at a path.
    public borrowing func isLocal() -> Bool { lc_is_local(descriptor.rawValue) == 1 }
}

extension StreamSocket {
    /// Connects to a path of the file system at once.
    ///
    /// - Throws: `Errno.wouldBlock` if too many others wait to be accepted there.
    public init(connectingToPath path: String) throws(Errno) {
        self.init(adopting: try OwnedDescriptor(status: unsafe lc_local_connect(path)))
    }
}

/// A stream of bytes between two processes.
public enum LocalStream {
    /// Makes both ends, which vanish when a program is executed unless they are given to it.
    public static func pair() throws(Errno) -> (FileDescriptor, FileDescriptor) {
        var ends: [Int32] = [-1, -1]
        try checked(unsafe lc_local_pair(&ends))
        return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
    }
}

extension FileDescriptor {
    /// Makes it vanish when another program is executed.
    public func setCloseOnExec() throws(Errno) { try checked(lc_close_on_exec(rawValue)) }

    /// Makes calls fail with `Errno.wouldBlock` instead of wait, for everybody who has the file.
    public func setNonblocking() throws(Errno) { try checked(lc_never_wait(rawValue)) }
}

/// The file of a Unix socket.
public enum LocalPath {
    /// Removes it.
    public static func remove(_ path: String) { _ = unsafe unlink(path) }
}
