import CLinux
public import SystemPackage

/// Whether this process may make a sandbox, found out by trying.
public enum NamespaceAttempt: Sendable, Hashable {
    case possible
    /// It may not create a user namespace.
    case noUserNamespace(Errno)
    /// It may not create the other namespaces.
    case noNamespaces(Errno)
    /// It may not mount a proc file system for the namespace of processes.
    case noProc(Errno)
    /// It may not change interfaces of the namespace.
    case noInterface(Errno)
    /// It may not open a packet socket in the namespace.
    case noPacketSocket(Errno)
    /// The attempt itself could not be made.
    case untried(Errno)

    /// Why it is not possible; nil if it is.
    public var reason: Errno? {
        switch self {
        case .possible: nil
        case .noUserNamespace(let reason), .noNamespaces(let reason), .noProc(let reason),
            .noInterface(let reason), .noPacketSocket(let reason), .untried(let reason):
            reason
        }
    }

    /// Tries it in a forked copy of this process, which leaves nothing behind.
    ///
    /// - Parameter inUserNamespace: whether to use a user namespace, in which anybody is root.
    public static func make(inUserNamespace: Bool) -> NamespaceAttempt {
        let attempt = lc_try_namespaces(inUserNamespace ? 1 : 0)
        let reason = Errno(rawValue: attempt.reason)
        return switch attempt.step {
        case LC_NAMESPACE_DONE: .possible
        case LC_NAMESPACE_USER: .noUserNamespace(reason)
        case LC_NAMESPACE_OTHERS: .noNamespaces(reason)
        case LC_NAMESPACE_PROC: .noProc(reason)
        case LC_NAMESPACE_INTERFACE: .noInterface(reason)
        case LC_NAMESPACE_PACKET_SOCKET: .noPacketSocket(reason)
        default: .untried(reason)
        }
    }
}
