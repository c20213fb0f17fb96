import DataPlane
import LinkModel
import LinuxKernel
import Netlink
public import TrafficControl

/// The changes to one interface, and how to undo them.
///
/// A pure value, which `PlanExecutor` carries out.
public struct InterfacePlan: Sendable, Hashable {
    /// The interface.
    public let interface: Interface
    /// The changes, in order.
    public internal(set) var operations: [TrafficOperation]
    /// Restores the previous state if one of them fails; nil: the inverse of the completed ones.
    var restoration: [TrafficOperation]?
    /// What is deleted after all other changes, and the guards that come last.
    var removals: [TrafficOperation] = []
    /// The mark of one of the conditioned directions.
    var mark: OwnershipMark?
    /// Whether the interface had no conditions of ours before.
    var isFirst = true
    /// The watchers of the replaced conditions.
    var formerWatchers: Set<String> = []
    /// Other conditions on the interface with precedence for packets that both choose.
    public var precedents: [String] = []

    /// The changes followed by the deletions.
    public var allOperations: [TrafficOperation] { operations + removals }

    /// The equivalent commands, with a heading.
    public var script: String {
        ShellWord.comment(interface.name) + "\n"
            + allOperations.map(\.commandText).joined(separator: "\n") + "\n"
    }
}

/// A direction to condition: its mark and its tree.
struct PlannedDirection: Hashable {
    var mark: OwnershipMark
    var tree: ConditioningTree
    var selector = TrafficSelector.everything
    /// How its filters choose.
    var form = FilterForm.words
    var ifb: Interface { Ownership.ifb(of: mark.target, mark.direction, slot: mark.slot) }
}

extension InterfacePlan {
    /// Conditions an interface that is not yet conditioned.
    static func create(
        _ interface: Interface, _ directions: [PlannedDirection], hasClsact: Bool
    ) -> InterfacePlan {
        var operations = directions.flatMap(Self.build)
        if !hasClsact { operations.append(.addQdisc(.clsact(on: interface))) }
        // Filters last: no packet is redirected before its tree exists.
        operations += directions.flatMap { redirect(interface, $0) }
        return InterfacePlan(
            interface: interface, operations: operations, mark: directions.first?.mark)
    }

    /// Changes the parameters of an interface that is already conditioned, without losing packets
    /// in flight, unless an AQM or duplicates need other qdiscs. Puts back what other programs took away of its `hook`.
    static func change(
        _ interface: Interface, from old: [FoundDirection], to new: [PlannedDirection],
        hook: FoundHook
    ) -> InterfacePlan {
        var operations: [TrafficOperation] = hook.exists ? [] : [.addQdisc(.clsact(on: interface))]
        var restoration: [TrafficOperation] = []
        for direction in new {
            if let found = old.first(where: { $0.mark.direction == direction.mark.direction }) {
                operations += update(found.tree, to: direction.tree)
                // Another program may have taken it down.
                operations.append(.bringUp(direction.ifb, alias: direction.mark.alias))
                // Includes what was to be deleted: the kernel may have refused its deletion.
                restoration += deletions(from: found.tree, to: direction.tree)
                restoration += update(direction.tree, to: found.tree)
                restoration.append(.bringUp(direction.ifb, alias: found.mark.alias))
                let place = found.mark.place
                let present = hook.groups[place] ?? []
                if let selector = found.mark.selector,
                    selector != direction.selector
                        || !present.isSuperset(of: place.needed(by: selector))
                {
                    let before = filters(
                        interface, place, selector, to: found.ifb, direction.form
                    ).filter { $0.isFilter(of: present) }
                    let after = redirect(interface, direction)
                    operations +=
                        unredirect(interface, place, place.groups.filter(present.contains)) + after
                    restoration += deletions(of: after) + before
                }
            } else {
                let additions = build(direction) + redirect(interface, direction)
                operations += additions
                restoration += additions.reversed().compactMap(\.inverse)
            }
        }
        if !hook.exists { restoration.append(.deleteQdisc(.clsact(on: interface))) }
        let form = new.first?.form ?? .words
        let removals = old.filter { found in
            !new.contains { $0.mark.direction == found.mark.direction }
        }.flatMap { found in
            (found.mark.selector.map {
                deletions(of: filters(interface, found.mark.place, $0, to: found.ifb, form))
            } ?? unredirect(interface, found.mark.place, found.mark.place.groups))
                + [.deleteLink(found.ifb)]
        }
        return InterfacePlan(
            interface: interface, operations: operations, restoration: restoration,
            removals: removals, mark: new.first?.mark)
    }

    /// Deletes what linkcond added; `clsact` only if linkcond created it and nobody else uses it.
    static func clear(
        _ interface: Interface, filters: [FilterPlace: Set<FilterPlace.Group>],
        ifbs: [Interface], removesClsact: Bool
    ) -> InterfacePlan {
        var operations = filters.sorted {
            $0.key.neighborDiscovery.preference < $1.key.neighborDiscovery.preference
        }
        .flatMap { place, groups in
            unredirect(interface, place, place.groups.filter(groups.contains))
        }
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

    /// Deletes what the first tree has and the second lacks or has in another place or form.
    private static func deletions(
        from old: ConditioningTree, to new: ConditioningTree
    ) -> [TrafficOperation] {
        let places = Set(new.qdiscs.map(\.place))
        let gone = old.qdiscs.filter { !places.contains($0.place) }
        let goneHandles = Set(gone.map(\.handle.major))
        // Deleting a qdisc deletes everything below it.
        return gone.filter { !goneHandles.contains($0.parent.major) }.map { .deleteQdisc($0) }
    }

    /// Changes qdiscs with the same handle in place; creates or deletes the rest.
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
        // Filters are kept or deleted together with their qdisc.
        let keptHandles = Set(kept.map(\.handle))
        operations += new.filters.filter { !keptHandles.contains($0.parent) }
            .map { .addFilter($0) }
        return operations
    }

    /// The filters that redirect the chosen packets of a direction to its ifb.
    private static func redirect(
        _ interface: Interface, _ direction: PlannedDirection
    ) -> [TrafficOperation] {
        filters(
            interface, direction.mark.place, direction.selector, to: direction.ifb, direction.form)
    }

    /// The filters at `place` that redirect the choice of `selector` to `ifb`.
    ///
    /// They do not match ARP, which is not IP.
    static func filters(
        _ interface: Interface, _ place: FilterPlace, _ selector: TrafficSelector,
        to ifb: Interface,
        _ form: FilterForm
    ) -> [TrafficOperation] {
        let discovery = U32Selection(selector, place.direction).neighborDiscovery
        let groups =
            [(place.neighborDiscovery, discovery.map(SelectionFilter.init))]
            + Filter.NetworkProtocol.allCases.map {
                (place.group($0), selector.filters(place.direction, $0, form))
            }
        return groups.flatMap { group, filters in
            filters.map { filter in
                .addFilter(
                    Filter(
                        interface: interface, parent: place.hook, preference: group.preference,
                        networkProtocol: group.networkProtocol, match: filter.match,
                        verdict: filter.isChosen
                            ? .redirect(to: ifb, cookie: Filter.ownCookie)
                            : .classify(QdiscHandle(rawValue: 1))))
            }
        }
    }

    /// Deletes the filters of `filters`, redirecting ones first.
    private static func deletions(of filters: [TrafficOperation]) -> [TrafficOperation] {
        var seen: Set<TrafficOperation> = []
        return filters.reversed().compactMap(\.inverse).filter { seen.insert($0).inserted }
    }

    static func unredirect(
        _ interface: Interface, _ place: FilterPlace, _ groups: [FilterPlace.Group]
    ) -> [TrafficOperation] {
        groups.map {
            .deleteFilters(
                interface, parent: place.hook, preference: $0.preference, $0.networkProtocol)
        }
    }
}

extension TrafficOperation {
    /// Whether it adds a filter of one of `groups`.
    fileprivate func isFilter(of groups: Set<FilterPlace.Group>) -> Bool {
        guard case .addFilter(let filter) = self else { return false }
        return groups.contains(
            FilterPlace.Group(
                preference: filter.preference, networkProtocol: filter.networkProtocol))
    }
}

extension Qdisc {
    /// What must not change for a qdisc to keep its packets.
    fileprivate struct Place: Hashable {
        var handle: QdiscHandle
        var parent: QdiscHandle
        var kind: String
    }

    fileprivate var place: Place { Place(handle: handle, parent: parent, kind: kind.name) }
}

extension Qdisc.Kind {
    /// Whether the kernel refuses to change its parameters; its classes then carry them.
    fileprivate var isUnchangeable: Bool {
        if case .hierarchicalTokenBucket = self { true } else { false }
    }
}
