import LinkModel

extension TrafficSelector {
    /// Selectors that together choose at least what each of these includes, and little else: one for
    /// each kind of choice, such as by address or by port, however many choose in that way.
    ///
    /// They have the exceptions of those that they stand for.
    static func joining(_ selectors: [TrafficSelector]) -> [TrafficSelector] {
        var kinds: [Kind] = []
        let groups = Dictionary(grouping: selectors, by: \.kind)
        for kind in selectors.map(\.kind) where !kinds.contains(kind) { kinds.append(kind) }
        return kinds.compactMap { kind in
            groups[kind].map { group in
                TrafficSelector(
                    family: kind.family, included: TrafficMatch(joining: group.map(\.included)),
                    exceptions: joined(group.map(\.exceptions)))
            }
        }
    }

    /// By what a selector chooses.
    private struct Kind: Hashable {
        var family: AddressFamily?
        /// Which properties of a packet count.
        var counts: [Bool]
    }

    private var kind: Kind {
        Kind(
            family: family,
            counts: [
                !included.to.isEmpty, !included.from.isEmpty, !included.ports.isEmpty,
                !included.toPorts.isEmpty, !included.fromPorts.isEmpty,
                included.possibleProtocols != nil,
            ])
    }
}

extension TrafficMatch {
    /// A match of at least the packets that each of these matches, which are of one kind.
    fileprivate init(joining matches: [TrafficMatch]) {
        self.init()
        to = joined(matches.map(\.to))
        from = joined(matches.map(\.from))
        ports = joined(matches.map(\.ports))
        toPorts = joined(matches.map(\.toPorts))
        fromPorts = joined(matches.map(\.fromPorts))
        protocols = joined(matches.map { $0.possibleProtocols ?? [] })
    }
}

/// The elements of all lists, each once, in their order.
private func joined<Value: Hashable>(_ lists: [[Value]]) -> [Value] {
    var seen: Set<Value> = []
    return lists.joined().filter { seen.insert($0).inserted }
}
