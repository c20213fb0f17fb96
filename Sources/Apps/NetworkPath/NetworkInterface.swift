/// A network interface of this host, as an app sees it.
public struct NetworkInterface: Hashable, Sendable {
    /// The kind of an interface.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Wi-Fi, including a phone's hotspot.
        case wifi
        /// A mobile network.
        case cellular
        /// Ethernet, or its equivalent in a container.
        case wired
        /// The loopback.
        case loopback
        /// A tunnel, or an unknown kind.
        case other
    }

    /// The name, such as `eth0`.
    public var name: String
    /// The index that identifies it in its network namespace.
    public var index: Int32
    /// The kind, from the kernel or an override.
    public var kind: Kind
    /// Whether its traffic costs money by volume: an override says so, or it is a mobile network or
    /// a phone's hotspot. Equivalent to the interface's share of `NWPath.isExpensive`.
    public var isExpensive: Bool
    /// Whether the user wants apps to use little data (Low Data Mode): an override says so, or it
    /// is a phone's hotspot.
    public var isConstrained: Bool
    /// Whether a captive portal holds apps back, in a run whose profile has one: it leads nowhere
    /// until somebody has clicked there.
    public var isCaptive: Bool
    /// Whether it is administratively up and has a carrier.
    public var isUp: Bool
    /// Whether it has an IPv4 address and default route.
    public var supportsIPv4: Bool
    /// Whether it has an IPv6 address valid beyond its link, and a default route.
    public var supportsIPv6: Bool
    /// Its addresses, except link-local ones.
    public var addresses: [String]

    /// Makes an interface, for the tests of an app. `NetworkPath` supplies those of this host.
    public init(
        name: String, index: Int32, kind: Kind, isExpensive: Bool = false,
        isConstrained: Bool = false, isCaptive: Bool = false, isUp: Bool = true,
        supportsIPv4: Bool = true,
        supportsIPv6: Bool = true, addresses: [String] = []
    ) {
        self.name = name
        self.index = index
        self.kind = kind
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.isCaptive = isCaptive
        self.isUp = isUp
        self.supportsIPv4 = supportsIPv4
        self.supportsIPv6 = supportsIPv6
        self.addresses = addresses
    }

    /// Whether it is up and has a default route, and no captive portal.
    public var isAvailable: Bool { isUp && !isCaptive && (supportsIPv4 || supportsIPv6) }
}
