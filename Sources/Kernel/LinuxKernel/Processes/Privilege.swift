import CLinux

/// What the calling thread may do.
public enum Privilege {
    /// Whether it may change the interfaces of its network namespace (`CAP_NET_ADMIN`).
    public static var mayChangeNetwork: Bool { lc_has_net_admin() == 1 }

    /// Whether it may make namespaces without a user namespace of its own (`CAP_SYS_ADMIN`).
    public static var mayMakeNamespaces: Bool { lc_has_sys_admin() == 1 }

    /// Whether its threads may go before others, unless that is forbidden to all (`CAP_SYS_NICE`).
    public static var mayPrioritize: Bool { lc_has_sys_nice() == 1 }

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
