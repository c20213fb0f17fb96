import CLinux
import Glibc
public import SystemPackage

/// The kinds of namespaces that a process can unshare.
public struct Namespaces: OptionSet, Sendable {
    /// The flags of `unshare(2)`.
    public let rawValue: Int32

    /// Makes a set from flags of `unshare(2)`.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Mounts.
    public static let mount = Namespaces(rawValue: CLONE_NEWNS)
    /// Process IDs: not of the caller itself, but of its later child processes.
    public static let process = Namespaces(rawValue: CLONE_NEWPID)
    /// The network, of the calling thread only.
    public static let network = Namespaces(rawValue: CLONE_NEWNET)

    /// Moves the caller to new namespaces of these kinds.
    ///
    /// Requires `CAP_SYS_ADMIN` for all but `.user`, which may be combined with the others.
    /// Equivalent to `unshare(1)`.
    public func unshare() throws(KernelError) {
        try checked(lc_unshare(rawValue), .create, "\(self)")
    }

    /// Moves the calling process, which must have a single thread, to the user namespace of another
    /// process. It gets all privileges there if it created that namespace. Equivalent to `nsenter
    /// --user=/proc/PID/ns/user --preserve-credentials`.
    public static func enterUser(of process: Int32) throws(KernelError) {
        let path = "/proc/\(process)/ns/user"
        let namespace = try NetworkNamespace.open(path)
        defer { try? namespace.close() }
        try checked(lc_enter(namespace.rawValue, CLONE_NEWUSER), .enter, path)
    }

    /// The user who made the user namespace that a process is in; nil if that cannot be read.
    public static func maker(ofUserNamespaceOf process: Int32) -> UInt32? {
        guard let namespace = try? NetworkNamespace.open("/proc/\(process)/ns/user") else {
            return nil
        }
        defer { try? namespace.close() }
        return UInt32(exactly: lc_namespace_owner(namespace.rawValue))
    }

    /// Writes a file of the proc file system, or another existing file.
    public static func write(_ text: String, to path: String) throws(KernelError) {
        do {
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: .closeOnExec)
            try file.closeAfter { try file.write(wholeOf: text) }
        } catch {
            throw KernelError(.write, subject: path, errno: error as? Errno ?? .ioError)
        }
    }
}

extension Namespaces: CustomStringConvertible {
    /// Their names for error messages.
    public var description: String {
        let names = [
            (Namespaces.mount, "mount"), (.process, "process"), (.network, "network"),
        ].filter { contains($0.0) }.map(\.1)
        return "a \(names.joined(separator: " and ")) namespace"
    }
}

extension NetworkNamespace {
    /// Opens a descriptor of the calling thread's namespace, which lives while it is open.
    public static func openCurrent() throws(KernelError) -> FileDescriptor {
        do {
            return try FileDescriptor.open(
                FilePath("/proc/thread-self/ns/net"), .readOnly, options: .closeOnExec)
        } catch {
            throw KernelError(
                .open, subject: "the network namespace", errno: error as? Errno ?? .ioError)
        }
    }

    /// Moves the calling thread to another namespace.
    public static func enter(_ namespace: FileDescriptor) throws(KernelError) {
        try checked(lc_enter(namespace.rawValue, CLONE_NEWNET), .enter, "a network namespace")
    }

    /// Runs `body` on the calling thread in another namespace, and then moves the thread back.
    public static func visit<Result: ~Copyable>(
        _ namespace: FileDescriptor, _ body: () throws(KernelError) -> Result
    ) throws(KernelError) -> Result {
        let here = try openCurrent()
        defer { try? here.close() }
        try enter(namespace)
        defer {
            let status = lc_enter(here.rawValue, CLONE_NEWNET)
            precondition(status == 0, "a thread may go back to where it comes from")
        }
        return try body()
    }
}
