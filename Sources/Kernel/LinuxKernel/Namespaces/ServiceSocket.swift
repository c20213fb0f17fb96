import CLinux
import Glibc
public import SystemPackage

/// A listening socket that serves other processes of its network namespace. They find it by an
/// abstract `unix(7)` name, which vanishes with the process, or at a path.
public struct ServiceSocket: ~Copyable, Sendable {
    private let owned: OwnedDescriptor
    /// Its file, which others may remove or replace; nil for an abstract name.
    private let file: (path: String, status: FileStatus?)?

    /// The descriptor, for waiting.
    public var descriptor: FileDescriptor { owned.raw }

    /// Takes the name in the network namespace of the calling thread.
    ///
    /// - Throws: `Errno.addressInUse` if another process has it.
    public init(name: String) throws(Errno) {
        self.init(try OwnedDescriptor(status: unsafe lc_service_listen(name)), file: nil)
    }

    private init(_ owned: consuming OwnedDescriptor, file: (path: String, status: FileStatus?)?) {
        self.owned = owned
        self.file = file
    }

    /// Listens at `path`, where nobody listens now. The socket appears atomically, and this object
    /// removes it at the end of its life.
    init(at path: String) throws(Errno) {
        let new = path + ".new"
        _ = unsafe unlink(new)
        let socket = try OwnedDescriptor(status: unsafe lc_service_listen(new))
        guard unsafe chmod(new, 0o666) == 0, unsafe rename(new, path) == 0 else {
            let reason = Errno(rawValue: errno)
            _ = unsafe unlink(new)
            throw reason
        }
        self.init(socket, file: (path, FileStatus(ofFileAt: path)))
    }

    deinit {
        if let file, isFound { _ = unsafe unlink(file.path) }
    }

    /// Whether others can find it: nobody has removed its file, or put another in its place.
    public var isFound: Bool {
        guard let file else { return true }
        return FileStatus(ofFileAt: file.path)?.isSameFile(as: file.status) == true
    }

    /// The next connection; nil if there is none.
    public borrowing func accept() -> MessageChannel? {
        let status = lc_service_accept(owned.number)
        return status < 0 ? nil : MessageChannel(adopting: FileDescriptor(rawValue: status))
    }

    /// The next connection, for a service that never blocks: sending and receiving fail instead,
    /// and up to about `bytes` of unread messages are buffered.
    public borrowing func accept(keeping bytes: Int32) -> MessageChannel? {
        let status = lc_service_accept_keeping(owned.number, bytes)
        return status < 0 ? nil : MessageChannel(adopting: FileDescriptor(rawValue: status))
    }

    /// Connects to the service called `name` in the network namespace of the calling thread; nil if
    /// there is none.
    ///
    /// - Parameter patience: the timeout of sending and receiving; whole seconds.
    public static func connect(
        to name: String, patience: Duration
    ) throws(KernelError) -> MessageChannel? {
        let status = unsafe lc_service_connect(name, Int32(max(1, patience.components.seconds)))
        guard status < 0 else {
            return MessageChannel(adopting: FileDescriptor(rawValue: status))
        }
        let reason = Errno(rawValue: -status)
        guard reason != .connectionRefused else { return nil }
        throw KernelError(.open, subject: "the socket @\(name)", errno: reason)
    }
}

extension MessageChannel {
    /// The process at the other end of a connection through a `ServiceSocket`.
    public struct Peer: Sendable, Hashable {
        /// Its process ID; zero if it is invisible to this process.
        public let process: Int32
        /// Whether it runs as this process's user, or as root.
        public let isTrusted: Bool
    }

    /// The process at the other end; nil if that is unknown.
    public var peer: Peer? {
        var process: pid_t = 0
        var user: uid_t = 0
        guard unsafe lc_service_peer(descriptor.rawValue, &process, &user) == 0 else { return nil }
        return Peer(process: process, isTrusted: user == 0 || user == lc_effective_user())
    }
}
