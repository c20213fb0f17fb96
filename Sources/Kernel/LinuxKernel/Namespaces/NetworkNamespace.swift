import Glibc
import SystemPackage

/// The network namespace of a thread.
public enum NetworkNamespace {
    /// The inode of the calling thread's namespace, unique while the namespace exists.
    public static func currentInode() throws(KernelError) -> UInt64 {
        var status = stat()
        guard unsafe stat("/proc/thread-self/ns/net", &status) == 0 else {
            throw KernelError(
                .open, subject: "the network namespace", errno: Errno(rawValue: errno))
        }
        return UInt64(status.st_ino)
    }

    /// Runs `body` in a new, empty network namespace, which is gone afterwards.
    ///
    /// The body runs on a new thread, because a namespace belongs to a thread: async code may
    /// resume on another one. Requires `CAP_SYS_ADMIN`. Equivalent to `unshare -n`.
    public static func withNew<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) throws -> Result {
        try DedicatedThread.run {
            try Namespaces.network.unshare()
            return try body()
        }
    }
}
