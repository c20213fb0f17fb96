import DataPlane
import LinkModel
import Netlink
import TrafficControl

extension InterfacePlan {
    /// Puts guards for these selectors in the place of the `former` ones.
    ///
    /// Without a guard packets only take longer. So the old ones go before anything else changes, and
    /// the new ones come last: whoever is killed in between leaves none that hides a condition.
    ///
    /// - Parameter selectors: those of all conditions by direction; nil for one that cannot be read.
    mutating func replaceGuards(
        _ former: [FilterPlace: Set<FilterPlace.Group>],
        for selectors: [Direction: [TrafficSelector?]], _ form: FilterForm
    ) {
        operations =
            former.flatMap { Self.unredirect(interface, $0.key, Array($0.value)) } + operations
        guard case .programs(let headerLength) = form else { return }
        for direction in Direction.allCases {
            let known = selectors[direction, default: []].compactMap(\.self)
            guard known.count == selectors[direction, default: []].count else { continue }
            let place = FilterPlace.guard(direction)
            removals += Filter.NetworkProtocol.allCases.compactMap { networkProtocol in
                let filter = SelectionFilter.guarding(
                    known, direction, networkProtocol, headerLength: headerLength)
                return filter.map {
                    .addFilter(
                        Filter(
                            interface: interface, parent: place.hook,
                            preference: place.group(networkProtocol).preference,
                            networkProtocol: networkProtocol, match: $0.match,
                            verdict: .classify(QdiscHandle(rawValue: 1))))
                }
            }
        }
    }
}

extension [FoundDirection] {
    /// What they choose, by direction; nil for what cannot be read.
    var selectors: [Direction: [TrafficSelector?]] {
        reduce(into: [:]) { $0[$1.mark.direction, default: []].append($1.mark.selector) }
    }
}
