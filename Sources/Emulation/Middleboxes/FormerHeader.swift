import LinuxKernel

/// The IP header of a packet that is to get one of the other family, with all that stands before the
/// transport's.
///
/// Packets are untrusted. A header is nil if it cannot be translated.
struct FormerHeader: Sendable, Hashable {
    /// What makes a packet one of several parts.
    struct Fragment: Sendable, Hashable {
        /// The number that all parts share.
        var identification: UInt32
        /// Where its payload is in that of the whole, in bytes.
        var offset: Int
        /// Whether it is not the last one.
        var hasMore: Bool
    }

    let isIPv6: Bool
    /// How many bytes stand before the transport's header.
    private(set) var length: Int
    /// How many bytes follow, according to the header.
    private(set) var payloadLength: Int
    private(set) var transport: UInt8
    /// The eight bits that are the type of service in one family, and the traffic class in the other.
    let trafficClass: UInt8
    let hopLimit: UInt8
    private(set) var fragment: Fragment?
    let source: IPAddress
    let target: IPAddress

    /// Reads the header at `start`. What follows it may be missing.
    init?(_ bytes: Span<UInt8>, at start: Int) {
        guard start < bytes.count else { return nil }
        switch bytes[start] >> 4 {
        case 4:
            length = Int(bytes[start] & 0xf) * 4
            guard length >= 20, start + length <= bytes.count else { return nil }
            isIPv6 = false
            payloadLength = Int(bytes.word(at: start + 2)) - length
            transport = bytes[start + 9]
            trafficClass = bytes[start + 1]
            hopLimit = bytes[start + 8]
            source = IPAddress(ipv4: bytes.long(at: start + 12))
            target = IPAddress(ipv4: bytes.long(at: start + 16))
            let part = bytes.word(at: start + 6)
            if part & 0x3fff != 0 {
                fragment = Fragment(
                    identification: UInt32(bytes.word(at: start + 4)),
                    offset: Int(part & 0x1fff) * 8, hasMore: part & 0x2000 != 0)
            }
        case 6:
            guard start + 40 <= bytes.count else { return nil }
            isIPv6 = true
            length = 40
            payloadLength = Int(bytes.word(at: start + 4))
            transport = bytes[start + 6]
            trafficClass = UInt8(truncatingIfNeeded: bytes.word(at: start) >> 4)
            hopLimit = bytes[start + 7]
            source = PacketFields.address(bytes, at: start + 8)
            target = PacketFields.address(bytes, at: start + 24)
            guard skipExtensions(bytes, at: start) else { return nil }
        default: return nil
        }
        guard payloadLength >= 0 else { return nil }
    }

    /// Passes over the headers between that of IPv6 and the transport's (RFC 7915, section 5.1);
    /// false if there is one that nothing replaces in IPv4.
    private mutating func skipExtensions(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        // No legitimate packet has more of them.
        for _ in 0..<8 {
            let place = start + length
            switch transport {
            case 0, 43, 60:
                guard place + 8 <= bytes.count else { return false }
                // A source route that is not at its end.
                if transport == 43, bytes[place + 3] != 0 { return false }
                transport = bytes[place]
                skip((Int(bytes[place + 1]) + 1) * 8)
            case IPProtocol.fragment:
                guard place + 8 <= bytes.count, fragment == nil else { return false }
                transport = bytes[place]
                let part = bytes.word(at: place + 2)
                fragment = Fragment(
                    identification: bytes.long(at: place + 4), offset: Int(part & 0xfff8),
                    hasMore: part & 1 != 0)
                skip(8)
                // What stands behind it in a later fragment is data.
                if part & 0xfff8 != 0 { return start + length <= bytes.count }
            default: return start + length <= bytes.count
            }
        }
        return false
    }

    private mutating func skip(_ count: Int) {
        length += count
        payloadLength -= count
    }
}
