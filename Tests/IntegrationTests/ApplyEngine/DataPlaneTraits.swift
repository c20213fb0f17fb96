import Conditioner
import LinkTesting
import Testing

extension Trait where Self == ConditionTrait {
    /// Runs a test only where the kernel can give an interface's packets to the packet engine.
    static var requiresEngineHooks: Self {
        .enabled("the kernel has to have nftables with hooks on devices, and root to ask it") {
            kernelHasEngineHooks
        }
    }

    /// Runs a test only where `apply` has a data plane: the kernel's, or hooks for the engine.
    static var requiresDataPlane: Self {
        .enabled("the kernel has to have netem, or nftables with hooks on devices") {
            try kernelHasEngineHooks || FeatureProbe.run()[.netem] == .present
        }
    }

    /// Runs a test only where the kernel has interfaces for VLANs.
    static var requiresVLANs: Self {
        .enabled("the kernel has to have VLANs (8021q)") { kernelHasVLANs }
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

private let kernelHasEngineHooks =
    (try? shell(
        """
        unshare --net sh -ec 'ip link set lo up
        nft "add table netdev t { flags owner; }; add chain netdev t c \\
        { type filter hook egress device \\"lo\\" priority 0; }; add rule netdev t c fwd to \\"lo\\""'
        """)) != nil
