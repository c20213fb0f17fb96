@testable import PacketLoop

/// Ethernet frames made by hand, byte by byte, so that nothing under test has a part in them.
struct SampleFrame {
    var bytes: [UInt8]

    static let ethernet: [UInt8] = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1]
    static let sourceV4: [UInt8] = [192, 0, 2, 1]
    static let targetV4: [UInt8] = [192, 0, 2, 2]
    static let sourceV6: [UInt8] = [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]
    static let targetV6: [UInt8] = [0x20, 1, 0xd, 0xb8] + [UInt8](repeating: 0, count: 11) + [2]

    /// An IPv4 packet with the header checksum right.
    static func ipv4(
        protocol number: UInt8, _ transport: [UInt8], identification: UInt16 = 7,
        fragment: UInt16 = 0, options: [UInt8] = [], tags: [UInt8] = []
    ) -> SampleFrame {
        let headerLength = 20 + options.count
        var header: [UInt8] = [0x40 | UInt8(headerLength / 4), 0]
        header += big(UInt16(headerLength + transport.count)) + big(identification)
        header += big(fragment) + [64, number, 0, 0] + sourceV4 + targetV4 + options
        let sum = big(~onesSum(header))
        (header[10], header[11]) = (sum[0], sum[1])
        return SampleFrame(bytes: ethernet + tags + [8, 0] + header + transport)
    }

    static func ipv6(next: UInt8, _ payload: [UInt8], tags: [UInt8] = []) -> SampleFrame {
        let header = [0x60, 0, 0, 0] + big(UInt16(payload.count)) + [next, 64]
        return SampleFrame(
            bytes: ethernet + tags + [0x86, 0xdd] + header + sourceV6 + targetV6 + payload)
    }

    /// A UDP datagram without a checksum.
    static func udp(source: UInt16 = 4000, target: UInt16, _ payload: [UInt8]) -> [UInt8] {
        big(source) + big(target) + big(UInt16(8 + payload.count)) + [0, 0] + payload
    }

    /// A TCP header with 12 bytes of options and a payload.
    static func tcp(
        sequence: UInt32 = 1000, flags: UInt8, checksum: UInt16 = 0, _ payload: [UInt8]
    ) -> [UInt8] {
        var header = big(5000) + big(80) + big(UInt16(sequence >> 16))
        header += big(UInt16(truncatingIfNeeded: sequence)) + [0, 0, 0, 9, 0x80, flags]
        header += big(512) + big(checksum) + [0, 0]
        header += [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2]
        return header + payload
    }

    /// A TCP or UDP packet with a finished checksum, which has its place at an offset of the header.
    static func finished(
        _ transport: [UInt8], protocol number: UInt8, checksumAt offset: Int, isIPv6: Bool,
        identification: UInt16, fragment: UInt16
    ) -> SampleFrame {
        var transport = transport
        let pseudo = pseudoHeaderSum(
            addresses: isIPv6 ? sourceV6 + targetV6 : sourceV4 + targetV4, protocol: number,
            length: transport.count)
        let sum = big(~onesSum(big(pseudo) + transport))
        (transport[offset], transport[offset + 1]) = (sum[0], sum[1])
        return isIPv6
            ? .ipv6(next: number, transport)
            : .ipv4(
                protocol: number, transport, identification: identification, fragment: fragment)
    }

    static func arp() -> SampleFrame {
        SampleFrame(bytes: ethernet + [8, 6] + [UInt8](repeating: 1, count: 28))
    }

    var headers: FrameHeaders { FrameHeaders(bytes.span) }
}

func big(_ word: UInt16) -> [UInt8] { [UInt8(word >> 8), UInt8(word & 0xff)] }

/// The sum of RFC 1071 in its plainest form.
func onesSum(_ bytes: some Sequence<UInt8>) -> UInt16 {
    var sum: UInt32 = 0
    for (index, byte) in bytes.enumerated() {
        sum += index.isMultiple(of: 2) ? UInt32(byte) << 8 : UInt32(byte)
        sum = (sum & 0xffff) + (sum >> 16)
    }
    return UInt16((sum & 0xffff) + (sum >> 16))
}

/// The sum of the pseudo-header of a packet (RFC 9293, section 3.1; RFC 8200, section 8.1).
func pseudoHeaderSum(addresses: [UInt8], protocol number: UInt8, length: Int) -> UInt16 {
    onesSum(addresses + big(UInt16(length)) + [0, number])
}
