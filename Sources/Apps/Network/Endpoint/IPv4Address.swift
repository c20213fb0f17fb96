public import FoundationEssentials

/// An IPv4 address.
public struct IPv4Address: IPAddress {
    /// The bytes in network order.
    public let rawValue: Data
    /// The interface to which the address is scoped.
    public let interface: NWInterface?

    /// Reads the four bytes in network order.
    public init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
        guard rawValue.count == 4 else { return nil }
        self.rawValue = Data(rawValue)
        self.interface = interface
    }

    /// Reads the text form, such as `192.0.2.1`.
    public init?(_ string: String) {
        guard let text = AddressText(string) else { return nil }
        self.init(Data(text.bytes), text.interface)
    }

    private init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        rawValue = Data([first, second, third, fourth])
        interface = nil
    }

    /// Every address of this host: `0.0.0.0`.
    public static let any = IPv4Address(0, 0, 0, 0)
    /// Every host of the network: `255.255.255.255`.
    public static let broadcast = IPv4Address(255, 255, 255, 255)
    /// This host: `127.0.0.1`.
    public static let loopback = IPv4Address(127, 0, 0, 1)
    /// All hosts of the link: `224.0.0.1`.
    public static let allHostsGroup = IPv4Address(224, 0, 0, 1)
    /// All routers of the link: `224.0.0.2`.
    public static let allRoutersGroup = IPv4Address(224, 0, 0, 2)
    /// IGMPv3 reports: `224.0.0.22`.
    public static let allReportsGroup = IPv4Address(224, 0, 0, 22)
    /// Multicast DNS: `224.0.0.251`.
    public static let mdnsGroup = IPv4Address(224, 0, 0, 251)

    /// Whether it is in 127.0.0.0/8.
    public var isLoopback: Bool { rawValue.first == 127 }
    /// Whether it is in 169.254.0.0/16.
    public var isLinkLocal: Bool { rawValue.prefix(2) == Data([169, 254]) }
    /// Whether it is in 224.0.0.0/4.
    public var isMulticast: Bool { rawValue.first.map { $0 >> 4 == 0xe } ?? false }
}
