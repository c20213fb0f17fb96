import LinkModel
package import LinuxKernel

/// What a network of IPv6 with a way to IPv4 has in common everywhere.
package enum NAT64 {
    /// The upper half of the well-known prefix, 64:ff9b::/96 (RFC 6052, section 2.1).
    private static let prefix: UInt64 = 0x0064_ff9b_0000_0000

    /// The name by whose addresses apps find out the prefix (RFC 7050).
    static let discoveryName = "ipv4only.arpa"
    /// Its addresses (RFC 7050, section 2.2).
    static let discoveryAddresses = [IPAddress(ipv4: 0xc000_00aa), IPAddress(ipv4: 0xc000_00ab)]

    /// The IPv6 address that stands for one of IPv4.
    package static func address(for address: IPAddress) -> IPAddress {
        IPAddress(ipv6High: prefix, low: address.low & 0xffff_ffff)
    }

    /// The IPv4 address that one of IPv6 stands for; nil for others.
    package static func ipv4(of address: IPAddress) -> IPAddress? {
        guard address.isIPv6, address.high == prefix, address.low >> 32 == 0 else { return nil }
        return IPAddress(ipv4: UInt32(address.low))
    }

    /// Its table: RFC 6146 wants one port outside for each of the app's (section 3), whom only hosts
    /// reach to which the app has sent, if it filters; and these times (section 4).
    static let rules = AddressTranslation(
        kind: .restricted, udpTimeout: .seconds(300), tcpTimeout: .seconds(7440))
}
