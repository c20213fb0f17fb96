import CLinux
import Glibc
public import SystemPackage

/// Whether this process may make a network namespace and read packets in it, found out by trying.
public enum NamespaceAttempt: Sendable, Hashable {
    case possible
    /// There may be no user namespace.
    case noUserNamespace(Errno)
    /// There may be no network namespace.
    case noNetworkNamespace(Errno)
    /// There may be no packet socket in the namespace.
    case noPacketSocket(Errno)
    /// Nothing could be tried.
    case untried(Errno)

    /// Tries it in a copy of this process, which leaves nothing.
    ///
    /// - Parameter inUserNamespace: whether within a user namespace, in which anybody is root.
    public static func make(inUserNamespace: Bool) -> NamespaceAttempt {
        let attempt = lc_try_namespaces(inUserNamespace ? 1 : 0)
        let reason = Errno(rawValue: attempt.reason)
        return switch attempt.step {
        case LC_NAMESPACE_DONE: .possible
        case LC_NAMESPACE_USER: .noUserNamespace(reason)
        case LC_NAMESPACE_NETWORK: .noNetworkNamespace(reason)
        case LC_NAMESPACE_PACKET_SOCKET: .noPacketSocket(reason)
        default: .untried(reason)
        }
    }
}

extension Privilege {
    /// Whether the process belongs to root.
    public static var isRoot: Bool { geteuid() == 0 }
}
