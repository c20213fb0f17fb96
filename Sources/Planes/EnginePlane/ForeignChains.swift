import DataPlane
import LinkModel
import Netlink
import TrafficControl

/// What other programs have at an interface that sees packets before the engine does.
enum ForeignChains {
    /// Throws if chains of nftables see packets of these directions before the engine gets them, or
    /// filters of tc do where it takes them by nftables.
    ///
    /// - Parameter priority: that of the engine's own chains; nil if it takes packets by filters
    ///   of tc, which see what leaves behind all chains and what comes in front of them.
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
