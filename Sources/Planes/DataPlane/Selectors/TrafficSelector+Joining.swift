extension TrafficSelector {
    /// A selector without exceptions that chooses at least what each of these includes.
    init(joining selectors: [TrafficSelector]) {
        let families = Set(selectors.map(\.family))
        self.init(
            family: families.count == 1 ? families.first ?? nil : nil,
            included: TrafficMatch(joining: selectors.map(\.included)))
    }
}

extension TrafficMatch {
    /// A match of at least the packets that each of these matches.
    fileprivate init(joining matches: [TrafficMatch]) {
        func join<Value: Hashable>(_ lists: [[Value]]) -> [Value] {
            // An empty list stands for every value.
            guard !lists.contains(where: \.isEmpty) else { return [] }
            var seen: Set<Value> = []
            return lists.joined().filter { seen.insert($0).inserted }
        }
        self.init()
        to = join(matches.map(\.to))
        from = join(matches.map(\.from))
        ports = join(matches.map(\.ports))
        toPorts = join(matches.map(\.toPorts))
        fromPorts = join(matches.map(\.fromPorts))
        protocols = join(matches.map { $0.possibleProtocols ?? [] })
    }
}
