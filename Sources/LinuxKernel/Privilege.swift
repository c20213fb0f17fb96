import CLinux

/// What the calling thread may do.
public enum Privilege {
    /// Whether it may change the interfaces of its network namespace (`CAP_NET_ADMIN`).
    public static var mayChangeNetwork: Bool { lc_has_net_admin() == 1 }

    /// Whether it may make namespaces without a user namespace of its own (`CAP_SYS_ADMIN`).
    public static var mayMakeNamespaces: Bool { lc_has_sys_admin() == 1 }
}
