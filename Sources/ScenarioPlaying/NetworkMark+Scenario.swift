import LinkModel
import Netlink
public import NetworkPath
public import Scenarios

extension NetworkMark {
    /// What an app sees of an interface with these settings.
    public init(_ settings: OverrideSettings) {
        let kind: NetworkInterface.Kind? =
            switch settings.kind {
            case .wifi: .wifi
            case .cellular: .cellular
            case .wired: .wired
            case .other: .other
            case nil: nil
            }
        let cost: NetworkMark.Cost =
            switch settings.isExpensive {
            case true?: .expensive
            case false?: .inexpensive
            case nil: .default
            }
        self.init(cost: cost, isConstrained: settings.isConstrained, kind: kind)
    }
}

extension SeenPath {
    /// What an app sees that has this path.
    public init(_ path: NetworkPath) {
        self.init(
            status: path.status == .satisfied ? .satisfied : .unsatisfied,
            isExpensive: path.isExpensive, isConstrained: path.isConstrained,
            interface: path.interfacesInUse.first?.name)
    }
}
