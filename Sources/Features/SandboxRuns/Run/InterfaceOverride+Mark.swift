public import LinkModel
public import NetworkPath
import Override

extension InterfaceOverride {
    /// The mark of an interface of this name under this profile.
    public func mark(_ profile: Profile, name: String? = nil) -> NetworkMark {
        var override = self
        // In a sandbox it is what the profile says.
        if override.kind == .default { override.kind = nil }
        return NetworkMark(InterfaceOverride(profile, named: name).overridden(by: override))
    }
}

extension NetworkMark {
    /// Whether somebody has said what the interface is to look like.
    var saysMoreThanKind: Bool { cost != .default || isConstrained != nil || isHotspot }
}
