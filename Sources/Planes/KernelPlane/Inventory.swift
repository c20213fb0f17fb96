import DataPlane
import LinkModel
import Netlink
import TrafficControl

/// What linkcond has in the kernel, found by its marks alone.
struct Inventory {
    /// The conditioned directions.
    var directions: [FoundDirection]
    /// Their interfaces by index, as far as these still exist.
    var targets: [Int32: Link]
    /// The interfaces with a filter hook, by index.
    var hooked: Set<Int32>
    /// Our ifbs of which another program took the mark away.
    var unmarked: [UnmarkedIFB]

    /// Reads the namespace of `session`, or only what concerns the interfaces in `indices`.
    init(_ session: NetlinkSession, of indices: Set<Int32>? = nil) throws(NetlinkError) {
        let ifbs = try session.links(kind: "ifb")
        let found = Self.marked(ifbs).filter { indices?.contains($0.mark.target) ?? true }
        unmarked = ifbs.compactMap(UnmarkedIFB.init)
            .filter { indices?.contains($0.target) ?? true }
        let ours = Set(found.map(\.link.index))
        let all = try session.dump(Qdisc.list(), attempt: "list the qdiscs")
            .compactMap(QdiscState.init)
        hooked = Set(
            all.filter { $0.kind == .classifierActions }.map(\.interfaceIndex)
                .filter { indices?.contains($0) ?? true })
        let states = all.filter { ours.contains($0.interfaceIndex) }
        let byInterface = Dictionary(grouping: states, by: \.interfaceIndex)
        let wanted = Array(Set(found.map(\.mark.target)))
        let links = try session.get(wanted.map { Link.get(index: $0) }).map {
            $0.flatMap(Link.init)
        }
        targets = [:]
        for link in links { if let link { targets[link.index] = link } }

        directions = []
        for (link, mark) in found {
            let states = byInterface[link.index] ?? []
            let hasClasses = states.contains { $0.handle == Ownership.Handle.shaper }
            let classes =
                hasClasses
                ? try session.dump(
                    TrafficClass.list(interface: link.index), attempt: "list the classes"
                ).compactMap(TrafficClass.init) : []
            var direction = FoundDirection(
                mark: mark, ifb: Interface(index: link.index, name: link.name),
                states: states, classes: classes,
                target: targets[mark.target].map(ConditionedLink.init)
                    ?? ConditionedLink(mtu: 1500, headerLength: 0))
            direction.isUp = link.isUp
            directions.append(direction)
        }
    }

    /// Our ifbs with their marks.
    static func ifbs(
        _ session: NetlinkSession
    ) throws(NetlinkError) -> [(link: Link, mark: OwnershipMark)] {
        marked(try session.links(kind: "ifb"))
    }

    private static func marked(_ ifbs: [Link]) -> [(link: Link, mark: OwnershipMark)] {
        ifbs.compactMap { link in
            // Another program may have changed the group.
            guard link.isOwn || Ownership.part(ofIndex: link.index) != nil,
                let mark = OwnershipMark(alias: link.alias)
            else { return nil }
            return (link, mark)
        }
    }

    /// The conditioned directions of one interface by their slots, up first.
    func directions(of target: Int32) -> [FoundDirection] {
        directions.filter { $0.mark.target == target }.sorted { left, right in
            (left.mark.slot, left.mark.direction == .up ? 0 : 1)
                < (right.mark.slot, right.mark.direction == .up ? 0 : 1)
        }
    }
}

extension ConditionedLink {
    init(_ link: Link) {
        mtu = link.mtu
        headerLength = link.hasEthernetHeader ? Link.ethernetHeaderLength : 0
    }
}

extension HookFilters<FilterPlace> {
    /// Reads both hooks of the interface.
    init(_ session: NetlinkSession, interface: Int32) throws(NetlinkError) {
        try self.init(session, interface: interface) { FilterPlace(preference: $0) }
    }

    /// The filter groups of conditions by place.
    var groups: [FilterPlace: Set<FilterPlace.Group>] { groups { !$0.isGuard } }

    /// Those of guards.
    var guards: [FilterPlace: Set<FilterPlace.Group>] { groups(where: \.isGuard) }

    private func groups(
        where isWanted: (FilterPlace) -> Bool
    ) -> [FilterPlace: Set<FilterPlace.Group>] {
        var groups: [FilterPlace: Set<FilterPlace.Group>] = [:]
        for (place, filters) in ours where isWanted(place) {
            let found = place.groups.filter { group in filters.contains { group.isOf($0) } }
            if !found.isEmpty { groups[place] = Set(found) }
        }
        return groups
    }
}

extension FilterPlace.Group {
    fileprivate func isOf(_ filter: FilterState) -> Bool {
        preference == filter.preference && networkProtocol.rawValue == filter.ethertype
    }
}
