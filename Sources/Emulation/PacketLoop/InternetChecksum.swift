/// The sum over which the checksums of IP, TCP and UDP are formed (RFC 1071).
struct InternetChecksum {
    private var sum: UInt64 = 0

    /// Adds one number of 16 bits.
    mutating func add(_ word: UInt16) {
        sum += UInt64(word)
    }

    /// Adds bytes; an odd one at the end counts as if a zero followed.
    mutating func add(_ bytes: Span<UInt8>, in range: Range<Int>) {
        var offset = range.lowerBound
        while offset + 1 < range.upperBound {
            sum += UInt64(bytes.word(at: offset))
            offset += 2
        }
        if offset < range.upperBound { sum += UInt64(bytes[offset]) << 8 }
    }

    /// The sum in 16 bits: what the field of an unfinished checksum holds.
    var folded: UInt16 {
        var sum = sum
        while sum > 0xffff { sum = (sum & 0xffff) + (sum >> 16) }
        return UInt16(sum)
    }

    /// What the field of a finished checksum holds.
    var complement: UInt16 { ~folded }
}
