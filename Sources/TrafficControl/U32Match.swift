import CNetlink

/// One comparison of a u32 filter: a word at an offset from the network header, under a mask.
public struct U32Match: Sendable, Hashable {
    /// What the word has to be, in the order of a packet (big endian).
    public let value: UInt32
    /// The bits that count.
    public let mask: UInt32
    /// Where the word begins, a multiple of four.
    public let offset: Int32

    /// Makes a comparison.
    public init(value: UInt32, mask: UInt32, offset: Int32) {
        self.value = value
        self.mask = mask
        self.offset = offset
    }

    /// Matches every packet.
    public static let everything = U32Match(value: 0, mask: 0, offset: 0)

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

    /// What follows the header of an IPv6 packet.
    public static func ipv6NextHeader(_ number: UInt8) -> U32Match {
        U32Match(value: UInt32(number) << 8, mask: 0x0000_ff00, offset: 4)
    }

    /// The destination port of an IPv6 packet without extension headers.
    public static func ipv6DestinationPort(_ port: UInt16) -> U32Match {
        U32Match(value: UInt32(port), mask: 0x0000_ffff, offset: 40)
    }

    /// The types of an ICMPv6 message without extension headers that equal `type` under `mask`.
    public static func icmpv6Type(_ type: UInt8, mask: UInt8) -> U32Match {
        U32Match(value: UInt32(type) << 24, mask: UInt32(mask) << 24, offset: 40)
    }

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
