/// The order of preference of interfaces, as route metrics.
struct RoutePreference: Sendable, Hashable {
    /// A new metric for an interface's routes.
    struct Change: Sendable, Hashable {
        var interface: String
        var old: UInt32
        var new: UInt32
    }

    /// The interfaces, most preferred first.
    private(set) var order: [String]
    private var metrics: [String: UInt32]

    /// NetworkManager's metric for the first interface of a kind.
    private static let step: UInt32 = 100

    /// Begins with this order. A single interface has the default metric.
    init(_ order: [String]) {
        self.order = order
        metrics = Dictionary(
            uniqueKeysWithValues: order.enumerated().map { rank, name in
                (name, order.count == 1 ? 0 : Self.metric(ofRank: rank))
            })
    }

    private static func metric(ofRank rank: Int) -> UInt32 { step * UInt32(rank + 1) }

    /// The metric of an interface's routes.
    func metric(of interface: String) -> UInt32 { metrics[interface] ?? 0 }

    /// Makes an interface the first.
    ///
    /// New metrics differ from all current ones. So new routes can be added before old ones are
    /// removed, and there is always one.
    mutating func prefer(_ interface: String) -> [Change] {
        guard order.first != interface, order.contains(interface) else { return [] }
        order = [interface] + order.filter { $0 != interface }
        let taken = Set(metrics.values)
        var changes: [Change] = []
        for (rank, name) in order.enumerated() {
            let old = metric(of: name)
            let wanted = Self.metric(ofRank: rank)
            guard old < wanted || old >= wanted + Self.step else { continue }
            let new = (wanted..<wanted + Self.step).first { !taken.contains($0) } ?? wanted
            metrics[name] = new
            changes.append(Change(interface: name, old: old, new: new))
        }
        return changes
    }
}
