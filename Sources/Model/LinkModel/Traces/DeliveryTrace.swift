public import LinkUnits

/// The delivery opportunities of a link, as recorded on a real link, in mahimahi's format.
///
/// The text has one number per line: a time in milliseconds from the start of the trace at which
/// 1,500 bytes of IP can pass. A number written n times stands for n opportunities. The trace
/// repeats after its last time. Opportunities do not accumulate: one that finds the queue empty is
/// lost.
public struct DeliveryTrace: Sendable, Hashable {
    /// The size of one opportunity: a full-size packet. (mahimahi says 1,504; four of these bytes
    /// are the header of its tunnel device.)
    public static let opportunity = ByteCount(bytes: 1500)

    /// The longest trace accepted.
    static let longestPeriod: UInt64 = 365 * 86_400_000

    /// The times of the opportunities in order, at least one; the last one is not zero.
    package let milliseconds: [UInt64]

    /// Makes a trace of opportunities in order; the last one ends the trace.
    package init(milliseconds: [UInt64]) throws(TraceError) {
        guard let last = milliseconds.last else { throw TraceError(line: nil, reason: .empty) }
        guard last > 0 else { throw TraceError(line: nil, reason: .noTime) }
        self.milliseconds = milliseconds
    }

    /// Reads a trace.
    ///
    /// Blank lines and blanks around a number are skipped. The error names the line.
    public init(parsing text: String) throws(TraceError) {
        // Byte by byte: a trace may have millions of lines.
        let bytes = text.utf8Span.span
        var milliseconds: [UInt64] = []
        milliseconds.reserveCapacity(bytes.count / 6)
        var (start, number, lastLine) = (0, 0, 0)
        while start < bytes.count {
            var end = start
            while end < bytes.count, !Self.endsLine(bytes[end]) { end += 1 }
            number += 1
            let line = bytes.extracting(start..<end)
            if let moment = try Self.moment(in: line, number: number) {
                if let last = milliseconds.last, moment < last {
                    throw TraceError(
                        line: number, reason: .outOfOrder(earlier: last, later: moment))
                }
                milliseconds.append(moment)
                lastLine = number
            }
            let isPair = end + 1 < bytes.count && bytes[end] == 13 && bytes[end + 1] == 10
            start = end + (isPair ? 2 : 1)
        }
        guard let last = milliseconds.last else { throw TraceError(line: nil, reason: .empty) }
        guard last > 0 else { throw TraceError(line: lastLine, reason: .noTime) }
        self.milliseconds = milliseconds
    }

    private static func endsLine(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

    /// The number on a line; nil on a blank one.
    private static func moment(
        in line: Span<UInt8>, number: Int
    ) throws(TraceError) -> UInt64? {
        var (start, end) = (0, line.count)
        while start < end, isBlank(line[start]) { start += 1 }
        while start < end, isBlank(line[end - 1]) { end -= 1 }
        guard start < end else { return nil }
        var moment: UInt64 = 0
        var isTooLate = false
        for index in start..<end {
            guard digits.contains(line[index]) else {
                throw TraceError(line: number, reason: .notANumber(text(of: line)))
            }
            // Past the longest trace, the exact number does not matter.
            isTooLate = isTooLate || moment > longestPeriod
            if !isTooLate { moment = moment * 10 + UInt64(line[index] - digits.lowerBound) }
        }
        guard !isTooLate, moment <= longestPeriod else {
            throw TraceError(
                line: number, reason: .tooLate(text(of: line.extracting(start..<end))))
        }
        return moment
    }

    /// The beginning of a line, for a message.
    private static func text(of line: Span<UInt8>) -> String {
        let shown = line.extracting(first: 200)
        return String(decoding: shown.indices.map { shown[$0] }, as: UTF8.self)
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// The trace repeats after this time.
    public var period: Duration { .milliseconds(Int64(periodMilliseconds)) }

    /// The number of opportunities in one period.
    public var opportunityCount: Int { milliseconds.count }

    /// The mean rate of a link that always has something to send.
    public var meanBandwidth: Bandwidth {
        let bits = UInt128(milliseconds.count) * UInt128(Self.opportunity.bytes) * 8
        let rate = bits * 1000 / UInt128(periodMilliseconds)
        return .bitsPerSecond(max(1, UInt64(clamping: rate)))
    }

    /// The trace in mahimahi's format.
    public var text: String {
        var text = ""
        text.reserveCapacity(milliseconds.count * 8)
        for moment in milliseconds { text += "\(moment)\n" }
        return text
    }

    /// The bytes that a saturated link carries in each interval of `length` milliseconds, from the
    /// start of the trace to its end. The last interval may be shorter.
    package func byteCounts(perMilliseconds length: UInt64) -> [ByteCount] {
        let count = Int((periodMilliseconds - 1) / length) + 1
        var numbers = [UInt64](repeating: 0, count: count)
        for moment in milliseconds { numbers[min(Int(moment / length), count - 1)] += 1 }
        return numbers.map { ByteCount(bytes: $0 * Self.opportunity.bytes) }
    }

    package var periodMilliseconds: UInt64 { milliseconds.last ?? 1 }
}
