/// The sum behind the checksums of IP, TCP and UDP (RFC 1071).
package struct InternetChecksum {
    @usableFromInline var sum: UInt64 = 0

    /// Starts an empty sum.
    @inlinable package init() {}

    /// Adds one 16-bit number.
    @inlinable package mutating func add(_ word: UInt16) {
        sum += UInt64(word)
    }

    /// Adds bytes; an odd one at the end is padded with zero.
    @inlinable package mutating func add(_ bytes: Span<UInt8>, in range: Range<Int>) {
        var offset = range.lowerBound
        while offset + 1 < range.upperBound {
            sum += UInt64(bytes.word(at: offset))
            offset += 2
        }
        if offset < range.upperBound { sum += UInt64(bytes[offset]) << 8 }
    }

    /// The 16-bit sum, as in the field of an unfinished checksum.
    @inlinable package var folded: UInt16 {
        var sum = sum
        while sum > 0xffff { sum = (sum & 0xffff) + (sum >> 16) }
        return UInt16(sum)
    }

    /// The content of a finished checksum field.
    @inlinable package var complement: UInt16 { ~folded }
}
