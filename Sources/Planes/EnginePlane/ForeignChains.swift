import DataPlane
import LinkModel
import Netlink
import TrafficControl

/// Chains and filters of other programs that see packets before the engine does.
enum ForeignChains {
    /// Throws if nftables chains see packets of these directions before the engine gets them, or if
    /// tc filters do while the engine uses nftables.
    ///
    /// - Parameter priority: that of the engine's own chains; nil if it uses tc filters, which see
    ///   outgoing packets after all chains and incoming packets before them.
    static func refuse(
        at interface: Interface, _ directions: Set<Direction>, before priority: Int32? = nil
    ) throws(EngineError) {
        guard !directions.isEmpty else { return }
        let chains = DeviceChain.atDevice(interface.name).filter { chain in
            !chain.table.hasPrefix(HookTable.namePrefix)
                && priority.map { chain.priority < $0 } ?? true
        }
        if priority != nil, directions.contains(.down),
            let kinds = (try? HookFilters(NetlinkSession(), interface: interface.index))?
                .foreign[.down]
        {
            throw .foreignFilters(interface.name, .down, kinds: kinds)
        }
        for direction in Direction.allCases where directions.contains(direction) {
            let kinds = chains.filter { $0.hook == (direction == .up ? .egress : .ingress) }
                .map(\.description)
            guard kinds.isEmpty else {
                throw .foreignFilters(interface.name, direction, kinds: kinds)
            }
        }
    }
}
