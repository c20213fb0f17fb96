import LinuxKernel

/// The kernel's parameters that the networks of a sandbox rely on.
///
/// A new namespace takes them over from the machine's first one: from a host that forwards packets,
/// as Docker has it, filters them by the way back, or has switched IPv6 off. What is about the speed
/// of TCP stays as the host has it, so that the command's connections are like those of the host.
enum NamespaceParameters {
    private static let values = [
        ("ipv4/ip_forward", "0"),
        ("ipv6/conf/all/forwarding", "0"),
        // For those to come as well.
        ("ipv6/conf/all/disable_ipv6", "0"),
        // Of the two that count for an interface, the stricter one does.
        ("ipv4/conf/all/rp_filter", "0"), ("ipv4/conf/default/rp_filter", "0"),
        ("ipv4/conf/lo/rp_filter", "0"),
        ("ipv4/conf/all/arp_ignore", "0"), ("ipv4/conf/default/arp_ignore", "0"),
        ("ipv4/conf/all/arp_filter", "0"), ("ipv4/conf/default/arp_filter", "0"),
        ("ipv4/conf/all/proxy_arp", "0"), ("ipv4/conf/default/proxy_arp", "0"),
    ]

    /// Sets them in the calling thread's namespace, before it has any interfaces. Kernels without a
    /// protocol have no such files, and no need for them.
    static func set() {
        for (name, value) in values { try? KernelParameter("net/" + name).write(value) }
    }
}
