/// The fields of a TCP header (RFC 9293, section 3.1) that matter for waiting.
package struct TCPHeader: Sendable, Hashable {
    package var sequence: UInt32
    package var acknowledgement: UInt32
    package var isSYN = false
    package var isACK = false
    package var isFIN = false
    package var isRST = false
    /// As in the header, without its scale.
    package var window: UInt16 = 0
    /// The power of two of later windows (RFC 7323); in SYNs only.
    package var windowScale: UInt8?
    package var maximumSegment: UInt16?
    /// The key of a Multipath TCP connection (RFC 8684, section 3.1).
    package var multipathKey: UInt64?
    /// The token of the Multipath TCP connection to which a subflow is added.
    package var multipathToken: UInt32?
    /// Where the payload begins, after the start of the header.
    package var length = 20

    init(sequence: UInt32, acknowledgement: UInt32) {
        self.sequence = sequence
        self.acknowledgement = acknowledgement
    }

    /// Reads the header at the beginning of `bytes`; nil if it is not whole.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 20 else { return nil }
        self.init(sequence: bytes.long(at: 4), acknowledgement: bytes.long(at: 8))
        length = Int(bytes[12] >> 4) * 4
        guard length >= 20, length <= bytes.count else { return nil }
        let flags = bytes[13]
        isFIN = flags & 0x01 != 0
        isSYN = flags & 0x02 != 0
        isRST = flags & 0x04 != 0
        isACK = flags & 0x10 != 0
        window = bytes.word(at: 14)
        readOptions(bytes.extracting(20..<length))
    }

    private mutating func readOptions(_ bytes: Span<UInt8>) {
        var offset = 0
        while offset < bytes.count {
            let kind = bytes[offset]
            if kind == 1 {
                offset += 1
                continue
            }
            guard kind != 0, offset + 2 <= bytes.count else { return }
            let size = Int(bytes[offset + 1])
            guard size >= 2, offset + size <= bytes.count else { return }
            readOption(kind, bytes.extracting(offset + 2..<offset + size))
            offset += size
        }
    }

    private mutating func readOption(_ kind: UInt8, _ value: Span<UInt8>) {
        switch kind {
        case 2 where value.count == 2: maximumSegment = value.word(at: 0)
        // RFC 7323, section 2.3: more than 14 counts as 14.
        case 3 where value.count == 1: windowScale = min(value[0], 14)
        case 30 where !value.isEmpty: readMultipath(value)
        default: break
        }
    }

    private mutating func readMultipath(_ value: Span<UInt8>) {
        switch value[0] >> 4 {
        // MP_CAPABLE: the sender's key, in SYN/ACK and in the third packet of the handshake.
        case 0 where value.count >= 10:
            multipathKey = UInt64(value.long(at: 2)) << 32 | UInt64(value.long(at: 6))
        // MP_JOIN: the receiver's token, in a SYN.
        case 1 where value.count >= 10 && isSYN && !isACK: multipathToken = value.long(at: 2)
        default: break
        }
    }
}
