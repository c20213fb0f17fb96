/// What an app requires of the network before it uses it.
///
/// Equivalent to the properties of the same names of Network.framework's `NWParameters`.
public struct NetworkRequirements: Hashable, Sendable {
    /// Whether networks that cost money by volume are prohibited.
    public var prohibitsExpensive: Bool
    /// Whether networks in Low Data Mode are prohibited.
    public var prohibitsConstrained: Bool
    /// The interface must be of one of these kinds; empty: any.
    public var requiredInterfaceKinds: Set<NetworkInterface.Kind>
    /// The interface must not be of these kinds.
    public var prohibitedInterfaceKinds: Set<NetworkInterface.Kind>

    /// Makes requirements; without arguments, any network will do.
    public init(
        prohibitsExpensive: Bool = false, prohibitsConstrained: Bool = false,
        requiredInterfaceKinds: Set<NetworkInterface.Kind> = [],
        prohibitedInterfaceKinds: Set<NetworkInterface.Kind> = []
    ) {
        self.prohibitsExpensive = prohibitsExpensive
        self.prohibitsConstrained = prohibitsConstrained
        self.requiredInterfaceKinds = requiredInterfaceKinds
        self.prohibitedInterfaceKinds = prohibitedInterfaceKinds
    }

    /// Any network will do.
    public static let none = NetworkRequirements()

    /// Why `interface` may not be used; empty if it may.
    public func reasonsAgainst(
        _ interface: NetworkInterface
    ) -> [NetworkPath.UnsatisfiedReason] {
        var reasons: [NetworkPath.UnsatisfiedReason] = []
        if prohibitedInterfaceKinds.contains(interface.kind) {
            reasons.append(.prohibited(interface.kind))
        } else if !requiredInterfaceKinds.isEmpty, !requiredInterfaceKinds.contains(interface.kind)
        {
            reasons.append(.notRequired(interface.kind))
        }
        if prohibitsExpensive, interface.isExpensive { reasons.append(.expensive) }
        if prohibitsConstrained, interface.isConstrained { reasons.append(.constrained) }
        return reasons
    }
}
