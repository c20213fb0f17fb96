import CLinux
import Glibc
public import SystemPackage

/// Whether this process may create a network namespace and read packets in it, found out by trying.
public enum NamespaceAttempt: Sendable, Hashable {
    case possible
    /// It may not create a user namespace.
    case noUserNamespace(Errno)
    /// It may not create a network namespace.
    case noNetworkNamespace(Errno)
    /// It may not open a packet socket in the namespace.
    case noPacketSocket(Errno)
    /// The attempt itself could not be made.
    case untried(Errno)

    /// Tries it in a forked copy of this process, which leaves nothing behind.
    ///
    /// - Parameter inUserNamespace: whether to use a user namespace, in which anybody is root.
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
