import CNetlink

/// One comparison of a u32 filter: a masked word at an offset from the network header.
public struct U32Match: Sendable, Hashable {
    /// The expected value of the word, in network byte order (big endian).
    public let value: UInt32
    /// The bits that are compared.
    public let mask: UInt32
    /// The offset of the word, a multiple of four.
    public let offset: Int32

    /// Makes a comparison.
    public init(value: UInt32, mask: UInt32, offset: Int32) {
        self.value = value
        self.mask = mask
        self.offset = offset
    }

    /// The same comparisons, merged into one for each word as tc does too; nil if no packet can
    /// match all of them.
    public static func merged(_ matches: [U32Match]) -> [U32Match]? {
        var merged: [U32Match] = []
        for match in matches {
            guard let place = merged.firstIndex(where: { $0.offset == match.offset }) else {
                merged.append(match)
                continue
            }
            let other = merged[place]
            guard (other.value ^ match.value) & other.mask & match.mask == 0 else { return nil }
            merged[place] = U32Match(
                value: other.value | match.value, mask: other.mask | match.mask,
                offset: match.offset)
        }
        return merged
    }

    /// Matches every packet.
    public static let everything = U32Match(value: 0, mask: 0, offset: 0)

    /// An IPv4 or IPv6 packet, by the version in its first four bits, and nothing else.
    public static let ipv4OrIPv6 = U32Match(value: 0x4000_0000, mask: 0xd000_0000, offset: 0)

    /// An IPv4 packet.
    public static let ipv4 = U32Match(value: 0x4000_0000, mask: 0xf000_0000, offset: 0)

    /// An IPv6 packet.
    public static let ipv6 = U32Match(value: 0x6000_0000, mask: 0xf000_0000, offset: 0)

    /// An IPv4 packet with a 20-byte header, so that the transport header is at a fixed offset.
    public static let ipv4WithoutOptions = U32Match(
        value: 0x4500_0000, mask: 0xff00_0000, offset: 0)

    /// An ICMP error that quotes its original packet: unreachable or time exceeded.
    public static let icmpError = U32Match(value: 0x0300_0000, mask: 0xf700_0000, offset: 20)

    /// The transport protocol of an IPv4 packet.
    public static func ipv4Protocol(_ number: UInt8) -> U32Match {
        U32Match(value: UInt32(number) << 16, mask: 0x00ff_0000, offset: 8)
    }

    /// An IPv4 packet that is whole or the first fragment, and so has ports.
    public static let ipv4FirstFragment = U32Match(value: 0, mask: 0x0000_1fff, offset: 4)

    /// The destination port of an IPv4 packet without options.
    public static func ipv4DestinationPort(_ port: UInt16) -> U32Match {
        U32Match(value: UInt32(port), mask: 0x0000_ffff, offset: 20)
    }

    /// The next header of an IPv6 packet.
    public static func ipv6NextHeader(_ number: UInt8) -> U32Match {
        U32Match(value: UInt32(number) << 8, mask: 0x0000_ff00, offset: 4)
    }

    /// The destination port of an IPv6 packet without extension headers.
    public static func ipv6DestinationPort(_ port: UInt16) -> U32Match {
        U32Match(value: UInt32(port), mask: 0x0000_ffff, offset: 40)
    }

    /// ICMPv6 messages without extension headers whose type equals `type` under `mask`.
    public static func icmpv6Type(_ type: UInt8, mask: UInt8) -> U32Match {
        U32Match(value: UInt32(type) << 24, mask: UInt32(mask) << 24, offset: 40)
    }

    /// An IPv6 packet whose first extension header is the fragment header.
    public static let ipv6Fragment = ipv6NextHeader(44)

    /// The protocol in the fragment header of an IPv6 packet.
    public static func ipv6FragmentOf(_ number: UInt8) -> U32Match {
        U32Match(value: UInt32(number) << 24, mask: 0xff00_0000, offset: 40)
    }

    /// The first fragment of an IPv6 packet.
    public static let ipv6FirstFragment = U32Match(value: 0, mask: 0x0000_fff8, offset: 40)

    /// `struct tc_u32_key`.
    var key: [UInt8] {
        let key = tc_u32_key(
            mask: mask.bigEndian, val: value.bigEndian, off: offset, offmask: 0)
        return unsafe withUnsafeBytes(of: key) { unsafe Array($0) }
    }

    var tcText: String {
        "match u32 0x\(String(value, radix: 16)) 0x\(String(mask, radix: 16)) at \(offset)"
    }
}
