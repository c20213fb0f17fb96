import Foundation
import KernelPlane
import LinkTesting
import LinuxKernel
import Testing

extension Trait where Self == ConditionTrait {
    /// Runs a test only where the kernel can give an interface's packets to the packet engine.
    static var requiresEngineHooks: Self {
        .enabled("the kernel has to have nftables with hooks on devices, and root to ask it") {
            kernelHasEngineHooks
        }
    }

    /// Runs a test only where the kernel can give the packet engine packets by filters of tc.
    ///
    /// With `LINKCOND_REQUIRE_KERNEL=1` the test fails where it would otherwise be skipped.
    static var requiresEngineFilters: Self {
        .enabled("the kernel has to have filters of tc that are programs (eBPF)") {
            kernelHasEngineFilters
                || ProcessInfo.processInfo.environment["LINKCOND_REQUIRE_KERNEL"] == "1"
        }
    }

    /// Runs a test only where `apply` has a data plane: the kernel's, or hooks for the engine.
    static var requiresDataPlane: Self {
        .enabled("the kernel has to have netem, or something that serves the packet engine") {
            try kernelHasEngineHooks || kernelHasEngineFilters
                || FeatureProbe.run()[.netem] == .present
        }
    }

    /// Runs a test only where the kernel tells its types, and runs programs at control groups.
    static var requiresKernelTypes: Self {
        .enabled("the kernel has to have CONFIG_DEBUG_INFO_BTF and control groups of version 2") {
            FileManager.default.fileExists(atPath: "/sys/kernel/btf/vmlinux")
                && ControlGroupTree.host != nil
        }
    }

    /// Runs a test only where the kernel has interfaces for VLANs.
    static var requiresVLANs: Self {
        .enabled("the kernel has to have VLANs (8021q)") { kernelHasVLANs }
    }

    /// Runs a test only where interfaces of tunnels can be made.
    static var requiresTunnels: Self {
        .enabled("the kernel has to have TUN") {
            (try? shell("unshare --net ip tuntap add t0 mode tun")) != nil
        }
    }

    /// Runs a test only where the kernel has clocks by namespace.
    static var requiresTimeNamespaces: Self {
        .enabled("the kernel has to have time namespaces, and root to make one") {
            (try? shell("unshare --time --monotonic 1 true")) != nil
        }
    }

    /// Runs a test only where the kernel cannot.
    static var requiresNoEngineHooks: Self {
        .enabled("the kernel must not have nftables") { !kernelHasEngineHooks }
    }
}

private let kernelHasVLANs =
    (try? shell(
        """
        unshare --net sh -ec 'ip link add x0 type veth peer name x1
        ip link add link x0 name x0.10 type vlan id 10'
        """)) != nil

/// The ways in which the packet engine gets the packets of an interface.
enum EngineHooks: String {
    case nftables, clsact

    /// Those that this kernel has.
    static let available: [EngineHooks] =
        (kernelHasEngineHooks ? [.nftables] : []) + (kernelHasEngineFilters ? [.clsact] : [])
}

private let kernelHasEngineFilters =
    (try? shell(
        """
        unshare --net sh -ec 'tc qdisc add dev lo clsact
        tc filter add dev lo egress bpf bytecode "1,6 0 0 0," direct-action
        tc filter add dev lo egress protocol ip u32 match u32 0 0 \\
        action mirred egress redirect dev lo'
        """)) != nil

private let kernelHasEngineHooks =
    (try? shell(
        """
        unshare --net sh -ec 'ip link set lo up
        nft "add table netdev t { flags owner; }; add chain netdev t c \\
        { type filter hook egress device \\"lo\\" priority 0; }; add rule netdev t c fwd to \\"lo\\""'
        """)) != nil
