import LinuxKernel

/// The kernel's parameters that tests rely on in their network namespaces.
///
/// A new namespace takes them over from the machine's first one, where they can be anything: Docker
/// has hosts forward packets, distributions filter by return path, administrators switch IPv6 off
/// and choose a congestion control.
public enum TestParameters {
    private static let values = [
        ("ipv4/ip_forward", "0"),
        ("ipv4/conf/all/rp_filter", "0"),
        ("ipv4/conf/default/rp_filter", "0"),
        ("ipv6/conf/all/disable_ipv6", "0"),
        ("ipv6/conf/all/forwarding", "0"),
        ("ipv4/tcp_congestion_control", "cubic"),
        ("ipv4/tcp_rmem", "4096 131072 6291456"),
        ("ipv4/tcp_wmem", "4096 16384 4194304"),
    ]

    /// Sets them in the calling thread's namespace, as far as the kernel has them.
    public static func set() {
        for (name, value) in values { try? KernelParameter("net/" + name).write(value) }
    }

    /// Sets them in the namespace at `path`, such as `/run/netns/NAME`.
    public static func set(inNamespaceAt path: String) throws {
        try NetworkNamespace.run(inNamespaceAt: path) { set() }
    }

    /// A command of `sh` that sets them in its namespace.
    public static let script =
        values.map { "echo '\($1)' >/proc/sys/net/\($0)" }.reduce("{ ") { "\($0)\($1); " }
        + "} 2>/dev/null || true"
}
