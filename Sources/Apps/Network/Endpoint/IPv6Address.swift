public import FoundationEssentials

/// An IPv6 address.
public struct IPv6Address: IPAddress {
    /// The bytes in network order.
    public let rawValue: Data
    /// The interface to which the address is scoped.
    public let interface: NWInterface?

    /// Reads the sixteen bytes in network order.
    public init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
        guard rawValue.count == 16 else { return nil }
        self.rawValue = Data(rawValue)
        self.interface = interface
    }

    /// Reads the text form, such as `fd00::1` or `fe80::1%eth0`.
    public init?(_ string: String) {
        guard let text = AddressText(string) else { return nil }
        self.init(Data(text.bytes), text.interface)
    }

    private init(_ first: UInt8, _ second: UInt8, last: UInt8) {
        rawValue = Data([first, second] + [UInt8](repeating: 0, count: 13) + [last])
        interface = nil
    }

    /// Every address of this host: `::`.
    public static let any = IPv6Address(0, 0, last: 0)
    /// This host: `::1`.
    public static let loopback = IPv6Address(0, 0, last: 1)
    /// All nodes of this host: `ff01::1`.
    public static let nodeLocalNodes = IPv6Address(0xff, 1, last: 1)
    /// All hosts of the link: `ff02::1`.
    public static let linkLocalNodes = IPv6Address(0xff, 2, last: 1)
    /// All routers of the link: `ff02::2`.
    public static let linkLocalRouters = IPv6Address(0xff, 2, last: 2)

    /// Whether it is `::`.
    public var isAny: Bool { rawValue.allSatisfy { $0 == 0 } }
    /// Whether it is `::1`.
    public var isLoopback: Bool { rawValue == Self.loopback.rawValue }
    /// Whether it is in fe80::/10.
    public var isLinkLocal: Bool { rawValue[0] == 0xfe && rawValue[1] & 0xc0 == 0x80 }
    /// Whether it is in ff00::/8.
    public var isMulticast: Bool { rawValue[0] == 0xff }
    /// Whether it is in fc00::/7.
    public var isUniqueLocal: Bool { rawValue[0] & 0xfe == 0xfc }
    /// Whether it is in ::ffff:0:0/96.
    public var isIPv4Mapped: Bool {
        rawValue.prefix(10).allSatisfy { $0 == 0 } && rawValue[10...11] == Data([0xff, 0xff])
    }

    /// The IPv4 address that it maps; nil if it maps none.
    public var asIPv4: IPv4Address? {
        isIPv4Mapped ? IPv4Address(Data(rawValue[12...]), interface) : nil
    }
}
