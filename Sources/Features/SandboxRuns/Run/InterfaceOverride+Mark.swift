public import LinkModel
public import NetworkPath
import Override

extension InterfaceOverride {
    /// The mark of an interface with this name and profile.
    public func mark(_ profile: Profile, name: String? = nil) -> NetworkMark {
        var override = self
        // In a sandbox the profile determines the kind.
        if override.kind == .default { override.kind = nil }
        return NetworkMark(InterfaceOverride(profile, named: name).overridden(by: override))
    }
}

extension NetworkMark {
    /// Whether the mark overrides more than the kind.
    var saysMoreThanKind: Bool { cost != .default || isConstrained != nil || isHotspot }
}
