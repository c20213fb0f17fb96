public import DataPlane
import LinkModel
import TrafficControl

extension ApplyRequest {
    /// The directions with their marks and trees for one interface.
    func planned(
        target: Int32, link: ConditionedLink, madeClsact: Bool, slot: Int = 0,
        form: FilterForm = .words, replacing old: [FoundDirection] = []
    ) throws(UnsupportedConditions) -> [PlannedDirection] {
        guard !selector.choosesOwners else {
            throw UnsupportedConditions(
                "--user, --cgroup and --process", "filters of tc cannot tell whose packets they are"
            )
        }
        guard !selector.hasNames else {
            throw UnsupportedConditions(
                "--to with a name", "nobody would follow the addresses that it gets later")
        }
        try checkFilters(form)
        guard conditions.middle == nil else {
            throw UnsupportedConditions(
                "what stands in the middle", "no qdisc translates or answers packets")
        }
        let conditions = conditions.withExplicitLoss
        var planned: [PlannedDirection] = []
        for direction in Direction.allCases where directions.contains(direction) {
            let way = linkDirection(of: direction)
            let part = way.conditions(of: conditions)
            var mark = OwnershipMark(
                direction: direction, target: target, since: now, madeClsact: madeClsact,
                distribution: part.jitter?.distribution, profile: profile, name: name, slot: slot,
                selection: selector.text, limit: limit)
            mark.longestFrame = link.longestFrame
            let tree = try ConditioningTree(
                part, dnsDelay: way == .up ? conditions.dnsDelay : nil,
                on: Ownership.ifb(of: target, direction, slot: slot), target: link,
                replacing: old.first { $0.mark.direction == direction }?.tree)
            planned.append(
                PlannedDirection(mark: mark, tree: tree, selector: selector, form: form))
        }
        return planned
    }

    /// A u32 table holds two thousand, and every packet has to pass all of them.
    private static let mostFilters = 1000

    private func checkFilters(_ form: FilterForm) throws(UnsupportedConditions) {
        for direction in directions {
            let count = Filter.NetworkProtocol.allCases.map {
                selector.filters(direction, $0, form).count
            }.max()
            guard count ?? 0 <= Self.mostFilters else {
                throw UnsupportedConditions(
                    "a choice of so many addresses and ports",
                    "it takes \(count ?? 0) filters, and \(Self.mostFilters) are the most; "
                        + "choose fewer, or larger networks and ranges")
            }
        }
    }

    /// An example plan for an Ethernet interface of which only the name is known.
    public func examplePlan(interface name: String) throws(UnsupportedConditions) -> InterfacePlan {
        let directions = try planned(
            target: 1, link: ConditionedLink(mtu: 1500, headerLength: 14), madeClsact: true,
            form: .programs(headerLength: 14))
        return .create(
            Interface(index: 1, name: name), directions, hasClsact: false)
    }
}
