import LinuxKernel

/// The packet that opens a TCP connection.
package enum OpeningPacket {
    /// The segment size that it announces (RFC 9293, section 3.2); nil if it announces none.
    ///
    /// - Parameter packet: from the IP header on.
    package static func segmentSize(_ packet: [UInt8]) -> Int? {
        guard let start = transport(of: packet), start + 20 <= packet.count else { return nil }
        let end = min(packet.count, start + Int(packet[start + 12] >> 4) * 4)
        var offset = start + 20
        while offset < end {
            switch packet[offset] {
            case 0: return nil
            case 1: offset += 1
            default:
                guard offset + 1 < end, packet[offset + 1] >= 2 else { return nil }
                if packet[offset] == 2, packet[offset + 1] == 4, offset + 4 <= end {
                    return Int(packet.span.word(at: offset + 2))
                }
                offset += Int(packet[offset + 1])
            }
        }
        return nil
    }

    private static func transport(of packet: [UInt8]) -> Int? {
        guard let first = packet.first else { return nil }
        if first >> 4 == 4 { return Int(first & 0xf) * 4 }
        // The kernel keeps extension headers, too; a SYN has none.
        guard first >> 4 == 6, packet.count > 40, packet[6] == IPProtocol.tcp else { return nil }
        return 40
    }
}
