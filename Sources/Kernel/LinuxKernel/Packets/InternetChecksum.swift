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
        precondition(
            range.lowerBound >= 0 && range.upperBound <= bytes.count, "the bytes are there")
        var offset = range.lowerBound
        // Of any width and byte order, sums of words differ only by a rotation (RFC 1071, section 2).
        let raw = unsafe bytes.bytes
        var (one, other) = (UInt64(0), UInt64(0))
        while offset + 16 <= range.upperBound {
            unsafe one.addAround(
                raw.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
            unsafe other.addAround(
                raw.unsafeLoadUnaligned(fromUncheckedByteOffset: offset + 8, as: UInt64.self))
            offset += 16
        }
        one.addAround(other)
        sum += UInt64(Self.fold(one >> 32 + one & 0xffff_ffff).bigEndian)
        while offset + 1 < range.upperBound {
            sum += UInt64(bytes.word(at: offset))
            offset += 2
        }
        if offset < range.upperBound { sum += UInt64(bytes[offset]) << 8 }
    }

    @inlinable static func fold(_ sum: UInt64) -> UInt16 {
        var sum = sum
        while sum > 0xffff { sum = (sum & 0xffff) + (sum >> 16) }
        return UInt16(sum)
    }

    /// The 16-bit sum, as in the field of an unfinished checksum.
    @inlinable package var folded: UInt16 { Self.fold(sum) }

    /// The content of a finished checksum field.
    @inlinable package var complement: UInt16 { ~folded }
}

extension UInt64 {
    /// Adds a number, and the carry at the other end.
    @inlinable mutating func addAround(_ number: UInt64) {
        let (sum, isOverflow) = addingReportingOverflow(number)
        self = sum &+ (isOverflow ? 1 : 0)
    }
}
