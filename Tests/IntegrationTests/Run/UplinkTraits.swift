import LinkTesting
import Testing

extension Trait where Self == ConditionTrait {
    /// Runs a test only where the kernel has nftables, which every uplink needs.
    static var requiresUplink: Self {
        .enabled("the kernel has to have nftables") { kernelHasNFTables }
    }

    /// Runs a test only where the kernel has no nftables.
    static var requiresNoUplink: Self {
        .enabled("the kernel must not have nftables") { !kernelHasNFTables }
    }
}

private let kernelHasNFTables =
    (try? shell("unshare --net nft add table inet linkcond-test")) != nil
