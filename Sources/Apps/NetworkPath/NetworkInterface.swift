/// An interface of this host, as an app sees it.
public struct NetworkInterface: Hashable, Sendable {
    /// What carries an interface's packets.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Wi-Fi, a phone's hotspot included.
        case wifi
        /// A mobile network.
        case cellular
        /// Ethernet, and what stands in for it in a container.
        case wired
        /// This host itself.
        case loopback
        /// A tunnel, or what is not known.
        case other
    }

    /// The name, such as `eth0`.
    public var name: String
    /// The number that identifies it in its network namespace.
    public var index: Int32
    /// What carries its packets: what the kernel says, or what an override does.
    public var kind: Kind
    /// Whether its traffic costs money by volume: an override says so, or it is a mobile network
    /// or a phone's hotspot. Equivalent to `NWInterface`'s part of `NWPath.isExpensive`.
    public var isExpensive: Bool
    /// Whether its user wants apps to use little data (Low Data Mode): an override says so, or it
    /// is a phone's hotspot.
    public var isConstrained: Bool
    /// Whether it is switched on and its carrier is there.
    public var isUp: Bool
    /// Whether it leads to the network by IPv4: it has an address and a default route.
    public var supportsIPv4: Bool
    /// Whether it leads to the network by IPv6: it has an address that is valid beyond its link,
    /// and a default route.
    public var supportsIPv6: Bool
    /// Its addresses, apart from those that mean something to its link only.
    public var addresses: [String]

    /// Describes an interface. Those of this host come from `NetworkPath`; this one is for the
    /// tests of an app.
    public init(
        name: String, index: Int32, kind: Kind, isExpensive: Bool = false,
        isConstrained: Bool = false, isUp: Bool = true, supportsIPv4: Bool = true,
        supportsIPv6: Bool = true, addresses: [String] = []
    ) {
        self.name = name
        self.index = index
        self.kind = kind
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.isUp = isUp
        self.supportsIPv4 = supportsIPv4
        self.supportsIPv6 = supportsIPv6
        self.addresses = addresses
    }

    /// Whether it leads to the network.
    public var isAvailable: Bool { isUp && (supportsIPv4 || supportsIPv6) }
}
