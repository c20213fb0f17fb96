/// Arrivals as a responder sends them back: a few bytes each, since the link may be slow.
///
/// For each arrival two numbers of variable length, seven bits a byte, the least significant first:
/// the step from the number that was expected, and the microseconds since the last arrival. Both
/// may be negative, and are written with the sign in the lowest bit.
package enum ArrivalCode {
    /// Encodes arrivals: a number and a time in nanoseconds for each.
    package static func encode(_ numbers: [UInt32], _ times: [Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(numbers.count * 4)
        var (expected, last) = (Int64(0), Int64(0))
        for (number, time) in zip(numbers, times) {
            let microseconds = time / 1000
            append(Int64(number) - expected, to: &bytes)
            append(microseconds - last, to: &bytes)
            (expected, last) = (Int64(number) + 1, microseconds)
        }
        return bytes
    }

    /// Decodes `count` arrivals, whose numbers are below `end`; nil unless the bytes are just that.
    package static func decode(
        _ bytes: Span<UInt8>, count: Int, below end: UInt32
    ) -> (numbers: [UInt32], times: [Int64])? {
        // Each takes two bytes at least.
        guard count >= 0, count <= bytes.count / 2 else { return nil }
        var numbers: [UInt32] = []
        var times: [Int64] = []
        numbers.reserveCapacity(count)
        times.reserveCapacity(count)
        var (offset, expected, last) = (0, Int64(0), Int64(0))
        for _ in 0..<count {
            guard let step = number(in: bytes, at: &offset),
                let pause = number(in: bytes, at: &offset)
            else { return nil }
            let number = expected.addingReportingOverflow(step)
            let microseconds = last.addingReportingOverflow(pause)
            guard !number.overflow, number.partialValue >= 0, number.partialValue < Int64(end),
                !microseconds.overflow, abs(microseconds.partialValue / 2) < Int64.max / 4000
            else { return nil }
            numbers.append(UInt32(number.partialValue))
            times.append(microseconds.partialValue * 1000)
            (expected, last) = (number.partialValue + 1, microseconds.partialValue)
        }
        return offset == bytes.count ? (numbers, times) : nil
    }

    private static func append(_ value: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: value << 1) ^ UInt64(bitPattern: value >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func number(in bytes: Span<UInt8>, at offset: inout Int) -> Int64? {
        var (result, shift) = (UInt64(0), UInt64(0))
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            result |= UInt64(byte & 0x7f) << shift
            shift += 7
            guard byte & 0x80 != 0 else {
                return Int64(bitPattern: result >> 1) ^ -Int64(bitPattern: result & 1)
            }
        }
        return nil
    }
}
