public import LinkModel
import Netlink
public import NetworkOverride
public import NetworkPath
import Sandbox

extension NetworkMark {
    /// What an app sees of an interface under this profile.
    public init(_ profile: Profile) {
        let kind: NetworkInterface.Kind =
            switch profile.interface {
            case .wifi: .wifi
            case .cellular: .cellular
            case .wired: .wired
            case .other: .other
            }
        self.init(
            cost: profile.isExpensive ? .expensive : .default,
            isConstrained: profile.isConstrained ? true : nil, kind: kind)
    }

    /// Whether somebody has said what the interface is to look like.
    var saysMoreThanKind: Bool { cost != .default || isConstrained != nil || isHotspot }
}

extension OverrideChange {
    /// The mark of an interface of this name under this profile: a name such as `cell0` says more of
    /// the interface than the profile does.
    public func mark(_ profile: Profile, name: String? = nil) -> NetworkMark {
        var mark = NetworkMark(profile)
        if let kind = name.flatMap(NetworkInterface.Kind.init(guessedFromName:)) {
            mark.kind = kind
        }
        var change = self
        if change.kind == .default { change.kind = nil }
        return change.applied(to: mark)
    }
}
