import LinkModel
import Netlink
public import TrafficControl

/// What is done to one interface, and what takes it back.
///
/// Pure: planned from values, carried out by `PlanExecutor`.
public struct InterfacePlan: Sendable, Hashable {
    /// The interface.
    public let interface: Interface
    /// The changes, in this order.
    public let operations: [TrafficOperation]
    /// What restores the state before when one of them fails; nil: the inverse of those done.
    let restoration: [TrafficOperation]?
    /// What is taken away after everything else is done.
    let removals: [TrafficOperation]

    /// Whether the interface was conditioned before.
    var isChange: Bool { restoration != nil }

    /// The changes and, after them, the removals.
    public var allOperations: [TrafficOperation] { operations + removals }

    init(
        interface: Interface, operations: [TrafficOperation],
        restoration: [TrafficOperation]? = nil, removals: [TrafficOperation] = []
    ) {
        self.interface = interface
        self.operations = operations
        self.restoration = restoration
        self.removals = removals
    }
}

/// A direction to be conditioned: its mark and its tree.
struct PlannedDirection: Hashable {
    var mark: OwnershipMark
    var tree: ConditioningTree
    var ifb: Interface { Ownership.ifb(of: mark.target, mark.direction) }
}

extension InterfacePlan {
    /// Conditions an interface that is not conditioned yet.
    static func create(
        _ interface: Interface, _ directions: [PlannedDirection], hasClsact: Bool
    ) -> InterfacePlan {
        var operations = directions.flatMap(Self.build)
        if !hasClsact { operations.append(.addQdisc(.clsact(on: interface))) }
        // Filters last: no packet is sent into a tree that is not there yet.
        operations += directions.flatMap { redirect(interface, $0) }
        return InterfacePlan(interface: interface, operations: operations)
    }

    /// Changes the parameters of an interface that is conditioned already, without losing the
    /// packets under way.
    static func change(
        _ interface: Interface, from old: [FoundDirection], to new: [PlannedDirection]
    ) -> InterfacePlan {
        var operations: [TrafficOperation] = []
        var restoration: [TrafficOperation] = []
        for direction in new {
            if let found = old.first(where: { $0.mark.direction == direction.mark.direction }) {
                operations += update(found.tree, to: direction.tree)
                operations.append(.setAlias(direction.ifb, direction.mark.alias))
                // Also what was to go: its deletion may be what the kernel refused.
                restoration += deletions(from: found.tree, to: direction.tree)
                restoration += update(direction.tree, to: found.tree)
                restoration.append(.setAlias(direction.ifb, found.mark.alias))
            } else {
                let additions = build(direction) + redirect(interface, direction)
                operations += additions
                restoration += additions.reversed().compactMap(\.inverse)
            }
        }
        let removals = old.filter { found in
            !new.contains { $0.mark.direction == found.mark.direction }
        }.flatMap { unredirect(interface, $0.mark.direction) + [.deleteLink($0.ifb)] }
        return InterfacePlan(
            interface: interface, operations: operations, restoration: restoration,
            removals: removals)
    }

    /// Takes away what linkcond added; `clsact` only if it made it and nobody else uses it.
    static func clear(
        _ interface: Interface, filtersOf directions: [Direction], ifbs: [Interface],
        removesClsact: Bool
    ) -> InterfacePlan {
        var operations = directions.flatMap { unredirect(interface, $0) }
        if removesClsact { operations.append(.deleteQdisc(.clsact(on: interface))) }
        operations += ifbs.map { .deleteLink($0) }
        return InterfacePlan(interface: interface, operations: operations)
    }

    private static func build(_ direction: PlannedDirection) -> [TrafficOperation] {
        [
            .addIFB(direction.ifb), .silence(direction.ifb),
            .bringUp(direction.ifb, alias: direction.mark.alias),
        ]
            + direction.tree.qdiscs.flatMap { qdisc -> [TrafficOperation] in
                let classes = direction.tree.classes.filter {
                    $0.handle.major == qdisc.handle.major
                }
                return [.addQdisc(qdisc)] + classes.map { .replaceClass($0) }
            } + direction.tree.filters.map { .addFilter($0) }
    }

    /// Takes away what stands in the one tree and not, or elsewhere or otherwise, in the other.
    private static func deletions(
        from old: ConditioningTree, to new: ConditioningTree
    ) -> [TrafficOperation] {
        let places = Set(new.qdiscs.map(\.place))
        let gone = old.qdiscs.filter { !places.contains($0.place) }
        let goneHandles = Set(gone.map(\.handle.major))
        // What hangs below one that goes, goes with it.
        return gone.filter { !goneHandles.contains($0.parent.major) }.map { .deleteQdisc($0) }
    }

    /// Parameters in place where a qdisc of the same handle stands; the rest made or taken away.
    private static func update(
        _ old: ConditioningTree, to new: ConditioningTree
    ) -> [TrafficOperation] {
        let kept = Set(old.qdiscs.map(\.place)).intersection(new.qdiscs.map(\.place))
        var operations = deletions(from: old, to: new)
        for qdisc in new.qdiscs {
            if !(qdisc.kind.isUnchangeable && kept.contains(qdisc.place)) {
                operations.append(.replaceQdisc(qdisc))
            }
            operations += new.classes.filter { $0.handle.major == qdisc.handle.major }
                .map { .replaceClass($0) }
        }
        // Filters go with the qdisc that they belong to and stay with it.
        let keptHandles = Set(kept.map(\.handle))
        operations += new.filters.filter { !keptHandles.contains($0.parent) }
            .map { .addFilter($0) }
        return operations
    }

    private static func hook(_ direction: Direction) -> QdiscHandle {
        direction == .up ? .clsactEgress : .clsactIngress
    }

    /// The filters that send a direction's packets to its ifb.
    ///
    /// ARP is no IP and not looked at; neighbour discovery is let past, so that a lossy link
    /// looks like a lossy link and not like an absent neighbour.
    private static func redirect(
        _ interface: Interface, _ direction: PlannedDirection
    ) -> [TrafficOperation] {
        typealias Preference = Ownership.Preference
        let way = direction.mark.direction
        let icmpv6: UInt8 = 58
        // Types 132 to 135 and 136 to 137: what hosts and routers say to neighbours.
        let discovery = [(type: UInt8(0x84), mask: UInt8(0xfc)), (type: 0x88, mask: 0xfe)].map {
            Filter(
                interface: interface, parent: hook(way),
                preference: Preference.neighborDiscovery(way), networkProtocol: .ipv6,
                matches: [.ipv6NextHeader(icmpv6), .icmpv6Type($0.type, mask: $0.mask)],
                verdict: .classify(QdiscHandle(rawValue: 1)))
        }
        let redirect = Filter.Verdict.redirect(to: direction.ifb, cookie: Ownership.cookie)
        let rest = [
            Filter(
                interface: interface, parent: hook(way), preference: Preference.ipv4(way),
                networkProtocol: .ipv4, verdict: redirect),
            Filter(
                interface: interface, parent: hook(way), preference: Preference.ipv6(way),
                networkProtocol: .ipv6, verdict: redirect),
        ]
        return (discovery + rest).map { .addFilter($0) }
    }

    private static func unredirect(
        _ interface: Interface, _ direction: Direction
    ) -> [TrafficOperation] {
        typealias Preference = Ownership.Preference
        let parent = hook(direction)
        return [
            .deleteFilters(
                interface, parent: parent, preference: Preference.ipv4(direction), .ipv4),
            .deleteFilters(
                interface, parent: parent, preference: Preference.ipv6(direction), .ipv6),
            .deleteFilters(
                interface, parent: parent,
                preference: Preference.neighborDiscovery(direction), .ipv6),
        ]
    }
}

extension Qdisc {
    /// What must not change of a qdisc that is to keep its packets.
    fileprivate struct Place: Hashable {
        var handle: QdiscHandle
        var parent: QdiscHandle
        var kind: String
    }

    fileprivate var place: Place { Place(handle: handle, parent: parent, kind: kind.name) }
}

extension Qdisc.Kind {
    /// Whether the kernel refuses to change its parameters, which then are those of its classes.
    fileprivate var isUnchangeable: Bool {
        if case .hierarchicalTokenBucket = self { true } else { false }
    }
}
