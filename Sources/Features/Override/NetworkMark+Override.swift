public import LinkModel
public import NetworkPath

extension NetworkMark {
    /// A mark with only this override.
    public init(_ override: InterfaceOverride) {
        self = NetworkMark().overridden(by: override)
    }

    /// This mark with the settings of `override`. Its time limit stays.
    func overridden(by override: InterfaceOverride) -> NetworkMark {
        var mark = self
        // Both layers use the same words.
        if let cost = override.cost.flatMap({ Cost(rawValue: $0.rawValue) }) { mark.cost = cost }
        switch override.lowData {
        case nil: break
        case .default: mark.isConstrained = nil
        case .on: mark.isConstrained = true
        case .off: mark.isConstrained = false
        }
        if let kind = override.kind {
            // The mark itself records a hotspot.
            mark.isHotspot = kind == .hotspot
            mark.kind = NetworkInterface.Kind(rawValue: kind.rawValue)
        }
        if let isPreferred = override.isPreferred { mark.isPreferred = isPreferred }
        return mark
    }
}
