public import LinkModel
public import NetworkPath

extension NetworkMark {
    /// The mark of an interface of which nothing else is said.
    public init(_ override: InterfaceOverride) {
        self = NetworkMark().overridden(by: override)
    }

    /// The mark with what `override` says. Its time limit stays.
    func overridden(by override: InterfaceOverride) -> NetworkMark {
        var mark = self
        // The words are the same on both floors.
        if let cost = override.cost.flatMap({ Cost(rawValue: $0.rawValue) }) { mark.cost = cost }
        switch override.lowData {
        case nil: break
        case .default: mark.isConstrained = nil
        case .on: mark.isConstrained = true
        case .off: mark.isConstrained = false
        }
        if let kind = override.kind {
            // What a hotspot's interface is, the mark itself tells.
            mark.isHotspot = kind == .hotspot
            mark.kind = NetworkInterface.Kind(rawValue: kind.rawValue)
        }
        if let isPreferred = override.isPreferred { mark.isPreferred = isPreferred }
        return mark
    }
}
