/// The checksum of IP, TCP, UDP and ICMP (RFC 1071).
public struct PacketChecksum {
    private var sum = InternetChecksum()

    /// Starts an empty sum.
    public init() {}

    /// Adds bytes that begin at an even offset.
    public mutating func add(_ bytes: borrowing ArraySlice<UInt8>) {
        let bytes = bytes.span
        sum.add(bytes, in: bytes.indices)
    }

    /// Adds the pseudo-header that TCP, UDP and ICMPv6 checksums cover.
    public mutating func addPseudoHeader(
        from source: IPAddress, to destination: IPAddress, transport: UInt8, length: Int
    ) {
        add(source.bytes[...])
        add(destination.bytes[...])
        sum.add(UInt16(transport))
        sum.add(UInt16(truncatingIfNeeded: length >> 16))
        sum.add(UInt16(truncatingIfNeeded: length))
    }

    /// The value for the header; zero for bytes that include their own correct checksum.
    public var value: UInt16 { sum.complement }

    /// The checksum of a whole transport message whose checksum field is zero.
    public static func ofTransport(
        _ bytes: ArraySlice<UInt8>, _ transport: UInt8, from source: IPAddress,
        to destination: IPAddress
    ) -> UInt16 {
        var checksum = PacketChecksum()
        if transport != IPProtocol.icmp {
            checksum.addPseudoHeader(
                from: source, to: destination, transport: transport, length: bytes.count)
        }
        checksum.add(bytes)
        return checksum.value
    }
}

/// Numbers of transport protocols (IANA).
public enum IPProtocol {
    /// The Internet Control Message Protocol of IPv4.
    public static let icmp: UInt8 = 1
    /// The Transmission Control Protocol.
    public static let tcp: UInt8 = 6
    /// The User Datagram Protocol.
    public static let udp: UInt8 = 17
    /// The Internet Control Message Protocol of IPv6.
    public static let icmpv6: UInt8 = 58
    /// The IPv6 fragment header.
    public static let fragment: UInt8 = 44
}

extension [UInt8] {
    /// Reads two bytes in network byte order.
    public func number(at offset: Int) -> UInt16 {
        UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
    }

    /// Writes two bytes in network byte order.
    public mutating func set(_ number: UInt16, at offset: Int) {
        self[offset] = UInt8(number >> 8)
        self[offset + 1] = UInt8(truncatingIfNeeded: number)
    }
}
