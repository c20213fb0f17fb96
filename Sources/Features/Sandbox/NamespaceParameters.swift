import LinuxKernel

/// The sysctls that a sandbox's networks rely on.
///
/// A new network namespace may inherit them from the machine's first one, whose host may forward
/// packets (as with Docker), filter by reverse path, or have IPv6 disabled. TCP performance
/// settings stay as on the host, so that the command's connections behave like those of the host.
enum NamespaceParameters {
    /// What is to be 0, and what else writing that changes.
    private static let zeros: [(name: String, others: [String])] = [
        ("ipv4/ip_forward", []),
        ("ipv6/conf/all/forwarding", ["ipv6/conf/default/forwarding", "ipv6/conf/lo/forwarding"]),
        (
            "ipv6/conf/all/disable_ipv6",
            ["ipv6/conf/default/disable_ipv6", "ipv6/conf/lo/disable_ipv6"]
        ),
        // The stricter of the two settings for an interface counts.
        ("ipv4/conf/all/rp_filter", []), ("ipv4/conf/default/rp_filter", []),
        ("ipv4/conf/lo/rp_filter", []),
        ("ipv4/conf/all/arp_ignore", []), ("ipv4/conf/default/arp_ignore", []),
        ("ipv4/conf/all/arp_filter", []), ("ipv4/conf/default/arp_filter", []),
        ("ipv4/conf/all/proxy_arp", []), ("ipv4/conf/default/proxy_arp", []),
    ]

    /// Sets them in the calling thread's network namespace, before it has interfaces. Kernels
    /// without a protocol have no such files and need none.
    ///
    /// - Returns: whether any was different. If not, none is in the namespaces that the thread makes
    ///   next either: all have the values of the machine's first one, or the kernel's, or those of the
    ///   thread's (`net.core.devconf_inherit_init_net`).
    static func set() -> Bool {
        var wereDifferent = false
        for (name, others) in zeros where !([name] + others).allSatisfy(isZero) {
            wereDifferent = true
            // To write some of them, the kernel spins until no process on the host changes any
            // interface, even if they have the value.
            try? KernelParameter("net/" + name).write("0")
        }
        return wereDifferent
    }

    /// Lets a program in the calling thread's network namespace open as many connections to one
    /// target as TCP allows: from all ports, and from those again that were used a second ago.
    static func allowManyConnections() {
        try? KernelParameter("net/ipv4/ip_local_port_range").write("1024 65535")
        try? KernelParameter("net/ipv4/tcp_tw_reuse").write("1")
    }

    private static func isZero(_ name: String) -> Bool {
        (try? KernelParameter("net/" + name).read()) == "0"
    }
}
