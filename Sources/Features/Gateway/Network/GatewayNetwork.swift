import LinkModel
public import LinuxKernel

/// The network behind a gateway: its interfaces and addresses.
public struct GatewayNetwork: Sendable, Hashable {
    /// The interface that leads to the devices.
    public let inner: String
    /// The interface that leads to the outside.
    public let uplink: String
    /// The gateway's own address.
    public let address: IPAddress
    /// The length of the network's prefix.
    public let prefixLength: UInt8
    /// The gateway's own address of IPv6, in a network of 64 bits; nil without IPv6.
    public var address6: IPAddress?

    /// The length of the prefix of IPv6 networks in which devices choose addresses (RFC 4862).
    static let prefixLength6: UInt8 = 64
    static let usualAddress = "192.168.77.1/24"
    /// The name of the gateway.
    static let host = "linkcond.box"

    /// Reads the gateway's address, such as `192.168.77.1/24`.
    public init(inner: String, uplink: String, address text: String) throws(GatewayError) {
        func problem(_ reason: String) -> GatewayError {
            GatewayError("--address \(text): \(reason)", status: .usage)
        }
        guard inner != uplink else {
            throw GatewayError(
                "--uplink \(uplink): is the interface of the devices as well; name the one that "
                    + "leads to the outside", status: .usage)
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let address = IPAddress(parts[0]), !address.isIPv6 else {
            throw problem("write an IPv4 address and a prefix, such as \(Self.usualAddress)")
        }
        guard let length = UInt8(parts[1]), (16...29).contains(length) else {
            throw problem("the prefix goes from 16 to 29 bits, such as \(parts[0])/24")
        }
        (self.inner, self.uplink, self.address, prefixLength) = (inner, uplink, address, length)
        let host = address.low & Self.hostMask(length)
        guard host != 0, host != Self.hostMask(length), !address.isLoopback,
            address.low >> 28 < 14, address.low >> 24 != 0
        else { throw problem("is no address that a host can have in its network") }
    }

    private static func hostMask(_ length: UInt8) -> UInt64 { (1 << (32 - UInt64(length))) - 1 }

    /// The first address of the network.
    var base: IPAddress { address.masked(to: prefixLength) }

    /// The first address of the IPv6 network.
    var base6: IPAddress? { address6?.masked(to: Self.prefixLength6) }

    /// The addresses for devices: the larger part beside the gateway's own.
    var pool: (first: IPAddress, last: IPAddress) {
        let mask = Self.hostMask(prefixLength)
        let (first, last) = (base.low + 1, base.low + mask - 1)
        let isLow = address.low - first < last - address.low
        let ends = isLow ? (address.low + 1, last) : (first, address.low - 1)
        return (
            IPAddress(ipv4: UInt32(truncatingIfNeeded: ends.0)),
            IPAddress(ipv4: UInt32(truncatingIfNeeded: ends.1))
        )
    }

    /// The mask of the network, such as 255.255.255.0.
    var mask: IPAddress {
        IPAddress(ipv4: ~UInt32(truncatingIfNeeded: Self.hostMask(prefixLength)))
    }

    /// The gateway's own addresses.
    var addresses: [IPAddress] { [address] + [address6].compactMap(\.self) }

    /// An address that a device may have, of the family of one of the gateway's own.
    func neighbour(of own: IPAddress) -> IPAddress {
        own.isIPv6 ? IPAddress(ipv6High: own.high, low: own.low + 1) : pool.first
    }

    /// Whether a device may have an address.
    func contains(_ other: IPAddress) -> Bool {
        guard !addresses.contains(other) else { return false }
        return other.isIPv6
            ? other.masked(to: Self.prefixLength6) == base6
            : other.masked(to: prefixLength) == base
    }

    /// Whether the networks have an address in common.
    func overlaps(_ network: IPAddress, prefixLength length: UInt8) -> Bool {
        guard !network.isIPv6 else { return false }
        let shared = min(length, prefixLength)
        return network.masked(to: shared) == address.masked(to: shared)
    }

    /// The gateway's address in a network of its own (RFC 4193), always the same behind the same
    /// interface, so that devices keep theirs.
    static func uniqueLocalAddress(behind hardware: [UInt8]) -> IPAddress {
        // FNV-1a: any even distribution will do.
        let hash = (Array("linkcond gateway".utf8) + hardware).reduce(
            0xcbf2_9ce4_8422_2325 as UInt64
        ) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return IPAddress(ipv6High: 0xfd << 56 | (hash >> 24) << 16, low: 1)
    }
}
