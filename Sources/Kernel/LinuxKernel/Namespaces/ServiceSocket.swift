import CLinux
import Glibc
public import SystemPackage

/// A socket by which a process serves others of its network namespace, who find it by a name that
/// is no file: it vanishes with the process. Equivalent to an abstract `unix(7)` socket.
public struct ServiceSocket: ~Copyable, Sendable {
    private let owned: OwnedDescriptor
    /// Its file; nil for one with a name that is none.
    private let path: String?

    /// What to wait on.
    public var descriptor: FileDescriptor { owned.raw }

    /// Takes the name in the network namespace of the calling thread.
    ///
    /// - Throws: `Errno.addressInUse` if another process has it.
    public init(name: String) throws(Errno) {
        self.init(try OwnedDescriptor(status: unsafe lc_service_listen(name)), path: nil)
    }

    private init(_ owned: consuming OwnedDescriptor, path: String?) {
        self.owned = owned
        self.path = path
    }

    /// Serves everybody who gets as far as `path`, where nobody serves now. It is there at once as
    /// a whole, and goes with this object.
    init(at path: String) throws(Errno) {
        let new = path + ".new"
        _ = unsafe unlink(new)
        let socket = try OwnedDescriptor(status: unsafe lc_service_listen(new))
        guard unsafe chmod(new, 0o666) == 0, unsafe rename(new, path) == 0 else {
            let reason = Errno(rawValue: errno)
            _ = unsafe unlink(new)
            throw reason
        }
        self.init(socket, path: path)
    }

    deinit {
        if let path { _ = unsafe unlink(path) }
    }

    /// The next who has connected; nil if nobody has.
    public borrowing func accept() -> MessageChannel? {
        let status = lc_service_accept(owned.number)
        return status < 0 ? nil : MessageChannel(adopting: FileDescriptor(rawValue: status))
    }

    /// The next who has connected, for a service that waits for nobody: sending and receiving fail
    /// instead, and up to about `bytes` that are sent are kept until they are received.
    public borrowing func accept(keeping bytes: Int32) -> MessageChannel? {
        let status = lc_service_accept_keeping(owned.number, bytes)
        return status < 0 ? nil : MessageChannel(adopting: FileDescriptor(rawValue: status))
    }

    /// Connects to whoever serves under `name` in the network namespace of the calling thread; nil
    /// if nobody does.
    ///
    /// - Parameter patience: how long sending and receiving wait; whole seconds.
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
    /// The process at the other end of a connection over a `ServiceSocket`.
    public struct Peer: Sendable, Hashable {
        /// Its number; zero where this process cannot see it.
        public let process: Int32
        /// Whether its user is that of this process, or root.
        public let isTrusted: Bool
    }

    /// Who is at the other end; nil if that cannot be told.
    public var peer: Peer? {
        var process: pid_t = 0
        var user: uid_t = 0
        guard unsafe lc_service_peer(descriptor.rawValue, &process, &user) == 0 else { return nil }
        return Peer(process: process, isTrusted: user == 0 || user == lc_effective_user())
    }
}
