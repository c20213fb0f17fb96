import CLinux
import Glibc
import SystemPackage

/// What the calling thread may do.
public enum Privilege {
    /// Whether the process runs as root.
    public static var isRoot: Bool { geteuid() == 0 }

    /// Whether it may change the interfaces of its network namespace (`CAP_NET_ADMIN`).
    public static var mayChangeNetwork: Bool { has(.netAdmin) }

    /// Whether it may make namespaces without a user namespace of its own (`CAP_SYS_ADMIN`).
    public static var mayMakeNamespaces: Bool { has(.sysAdmin) }

    /// Whether its threads may go before others, unless that is forbidden to all (`CAP_SYS_NICE`).
    public static var mayPrioritize: Bool { has(.sysNice) }

    /// Whether it may make a network namespace and try there what the kernel can do with interfaces.
    public static var mayTryNetworks: Bool { mayMakeNamespaces && mayChangeNetwork }

    /// Without `mayTryNetworks`, throws what the kernel would say.
    public static func requireTryingNetworks() throws(KernelError) {
        guard !mayTryNetworks else { return }
        throw KernelError(.create, subject: "a network namespace", errno: .notPermitted)
    }

    private static func has(_ capability: Capability) -> Bool {
        lc_capabilities() & capability.bit != 0
    }

    /// Runs `body`, in which programs that the calling thread starts may change the network where
    /// the thread may: in a user namespace only root's would by themselves.
    static func lending<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // A thread without the privilege has nothing to lend.
        guard lc_lend_net_admin(1) == 0 else { return try body() }
        defer { _ = lc_lend_net_admin(0) }
        return try body()
    }
}
