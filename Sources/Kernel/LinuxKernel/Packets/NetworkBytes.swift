import Glibc

/// Access to big-endian numbers in packets. Reading past the end is a bug of the caller.
extension Span where Element == UInt8 {
    /// Reads two bytes.
    @inlinable package func word(at offset: Int) -> UInt16 {
        UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
    }

    /// Reads four bytes.
    @inlinable package func long(at offset: Int) -> UInt32 {
        UInt32(word(at: offset)) << 16 | UInt32(word(at: offset + 2))
    }

    /// Whether it has the same bytes as another in a range of both.
    package func isSame(as other: Span<UInt8>, in range: Range<Int>) -> Bool {
        unsafe extracting(range).withUnsafeBytes { mine in
            unsafe other.extracting(range).withUnsafeBytes { others in
                guard let mine = mine.baseAddress, let others = others.baseAddress else {
                    return true
                }
                return unsafe memcmp(mine, others, range.count) == 0
            }
        }
    }
}

extension MutableSpan where Element == UInt8 {
    /// Reads two bytes.
    @inlinable package func word(at offset: Int) -> UInt16 {
        UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
    }

    /// Reads four bytes.
    @inlinable package func long(at offset: Int) -> UInt32 {
        UInt32(word(at: offset)) << 16 | UInt32(word(at: offset + 2))
    }

    /// Writes two bytes.
    @inlinable package mutating func setWord(_ value: UInt16, at offset: Int) {
        self[offset] = UInt8(truncatingIfNeeded: value >> 8)
        self[offset + 1] = UInt8(truncatingIfNeeded: value)
    }

    /// Writes four bytes.
    @inlinable package mutating func setLong(_ value: UInt32, at offset: Int) {
        setWord(UInt16(truncatingIfNeeded: value >> 16), at: offset)
        setWord(UInt16(truncatingIfNeeded: value), at: offset + 2)
    }
}
