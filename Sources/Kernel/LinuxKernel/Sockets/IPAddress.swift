import CLinux
import Glibc

/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable, LosslessStringConvertible {
    /// Whether it is an IPv6 address.
    public let isIPv6: Bool
    /// The first 64 bits of an IPv6 address; zero for IPv4.
    public let high: UInt64
    /// The last 64 bits of an IPv6 address, or the 32 of IPv4.
    public let low: UInt64

    /// Makes an IPv4 address from its 32 bits.
    public init(ipv4: UInt32) {
        (isIPv6, high, low) = (false, 0, UInt64(ipv4))
    }

    /// Makes an IPv6 address from its halves.
    public init(ipv6High high: UInt64, low: UInt64) {
        (isIPv6, self.high, self.low) = (true, high, low)
    }

    /// Whether it is a loopback address.
    public var isLoopback: Bool { isIPv6 ? high == 0 && low == 1 : low >> 24 == 127 }

    /// The IPv4 address that an IPv4-mapped one stands for (RFC 4291, section 2.5.5.2); any other as it
    /// is.
    package var unmapped: IPAddress {
        guard isIPv6, high == 0, low >> 32 == 0xffff else { return self }
        return IPAddress(ipv4: UInt32(truncatingIfNeeded: low))
    }

    /// Reads an address in network byte order: 4 or 16 bytes.
    ///
    /// Compiled for each type of bytes: for any type, the Swift runtime would search all protocol
    /// conformances of the program.
    @inlinable
    public init?(bytes: some Collection<UInt8>) {
        func number(_ bytes: some Collection<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
        switch bytes.count {
        case 4: self.init(ipv4: UInt32(number(bytes)))
        case 16: self.init(ipv6High: number(bytes.prefix(8)), low: number(bytes.dropFirst(8)))
        default: return nil
        }
    }

    /// Reads an address without a zone, such as `192.0.2.1` or `fd00::1`.
    public init?(_ description: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, description, &bytes) == 1 {
            self.init(bytes: bytes.prefix(4))
        } else if unsafe inet_pton(AF_INET6, description, &bytes) == 1 {
            self.init(bytes: bytes)
        } else {
            return nil
        }
    }

    /// The address in network byte order.
    public var bytes: [UInt8] {
        func bytes(_ number: UInt64, count: UInt64) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
        }
        return isIPv6 ? bytes(high, count: 8) + bytes(low, count: 8) : bytes(low, count: 4)
    }

    /// The address with zeros after the first `length` bits.
    public func masked(to length: UInt8) -> IPAddress {
        func mask(_ count: Int) -> UInt64 { count >= 64 ? .max : ~(.max >> UInt64(max(0, count))) }
        let length = Int(length)
        return isIPv6
            ? IPAddress(ipv6High: high & mask(length), low: low & mask(length - 64))
            : IPAddress(ipv4: UInt32(truncatingIfNeeded: low & mask(length + 32)))
    }

    /// The usual text form, that of RFC 5952 for IPv6.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = unsafe inet_ntop(
            isIPv6 ? AF_INET6 : AF_INET, bytes, &text, socklen_t(INET6_ADDRSTRLEN))
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// An IP address and a TCP or UDP port.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The address.
    public let address: IPAddress
    /// The port; for ICMP echo, which has none, the identifier or zero.
    public let port: UInt16

    /// Makes an endpoint.
    public init(_ address: IPAddress, port: UInt16) {
        (self.address, self.port) = (address, port)
    }

    /// The form of URLs: `192.0.2.1:80`, `[fd00::1]:80`.
    public var description: String {
        address.isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    init(_ endpoint: lc_endpoint) {
        address =
            endpoint.is_ipv6 != 0
            ? IPAddress(ipv6High: endpoint.high, low: endpoint.low)
            : IPAddress(ipv4: UInt32(truncatingIfNeeded: endpoint.low))
        port = endpoint.port
    }

    var shim: lc_endpoint {
        lc_endpoint(
            high: address.high, low: address.low, port: port, is_ipv6: address.isIPv6 ? 1 : 0)
    }
}
