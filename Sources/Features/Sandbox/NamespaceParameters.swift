import LinuxKernel

/// The sysctls that a sandbox's networks rely on.
///
/// A new network namespace may inherit them from the machine's first one, whose host may forward
/// packets (as with Docker), filter by reverse path, or have IPv6 disabled. TCP performance
/// settings stay as on the host, so that the command's connections behave like those of the host.
enum NamespaceParameters {
    private static let values = [
        ("ipv4/ip_forward", "0"),
        ("ipv6/conf/all/forwarding", "0"),
        // Applies to future interfaces too.
        ("ipv6/conf/all/disable_ipv6", "0"),
        // The stricter of the two settings for an interface counts.
        ("ipv4/conf/all/rp_filter", "0"), ("ipv4/conf/default/rp_filter", "0"),
        ("ipv4/conf/lo/rp_filter", "0"),
        ("ipv4/conf/all/arp_ignore", "0"), ("ipv4/conf/default/arp_ignore", "0"),
        ("ipv4/conf/all/arp_filter", "0"), ("ipv4/conf/default/arp_filter", "0"),
        ("ipv4/conf/all/proxy_arp", "0"), ("ipv4/conf/default/proxy_arp", "0"),
    ]

    /// Sets them in the calling thread's network namespace, before it has interfaces. Kernels
    /// without a protocol have no such files and need none.
    static func set() {
        for (name, value) in values where !isSet(name, value) {
            // To write some of them, the kernel spins until no process on the host changes any
            // interface, even if they have the value.
            try? KernelParameter("net/" + name).write(value)
        }
    }

    /// Lets a program in the calling thread's network namespace open as many connections to one
    /// target as TCP allows: from all ports, and from those again that were used a second ago.
    static func allowManyConnections() {
        try? KernelParameter("net/ipv4/ip_local_port_range").write("1024 65535")
        try? KernelParameter("net/ipv4/tcp_tw_reuse").write("1")
    }

    /// Whether a parameter has a value, also for the interfaces that writing it for all would
    /// change.
    private static func isSet(_ name: String, _ value: String) -> Bool {
        let scopes = name.hasPrefix("ipv6/conf/all/") ? ["all", "default", "lo"] : ["all"]
        return scopes.allSatisfy { scope in
            let name = name.replacing("ipv6/conf/all/", with: "ipv6/conf/\(scope)/")
            return (try? KernelParameter("net/" + name).read()) == value
        }
    }
}
