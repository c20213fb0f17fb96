/// What an app requires of the network before it uses it.
///
/// Equivalent to the properties of the same names of Network.framework's `NWParameters`.
public struct NetworkRequirements: Hashable, Sendable {
    /// Whether the network may not cost money by volume.
    public var prohibitsExpensive: Bool
    /// Whether the network may not be in Low Data Mode.
    public var prohibitsConstrained: Bool
    /// The kinds of interfaces of which one has to be used; empty: any.
    public var requiredInterfaceKinds: Set<NetworkInterface.Kind>
    /// The kinds of interfaces that may not be used.
    public var prohibitedInterfaceKinds: Set<NetworkInterface.Kind>

    /// Requires what is given, and without arguments nothing but a network.
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

    /// Nothing but a network.
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
