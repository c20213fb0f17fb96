public import LinkUnits

/// The moments at which a link takes a full packet, as recorded on a real link: mahimahi's format.
///
/// The text has one number per line: a millisecond, counted from the start of the trace, at which
/// 1,500 bytes of IP can pass. A number written n times stands for n such opportunities. Behind
/// its last moment the trace starts over. Opportunities are not saved up: what finds nothing to
/// send is lost.
public struct DeliveryTrace: Sendable, Hashable {
    /// What one opportunity takes: a full packet. (mahimahi says 1,504, four of which are the
    /// header of its tunnel device.)
    public static let opportunity = ByteCount(bytes: 1500)

    /// The longest trace that is taken.
    static let longestPeriod: UInt64 = 365 * 86_400_000

    /// The milliseconds of the opportunities in order, at least one; the last one is not zero.
    package let milliseconds: [UInt64]

    /// Takes opportunities in order; the last one ends the trace.
    package init(milliseconds: [UInt64]) throws(TraceError) {
        guard let last = milliseconds.last else { throw TraceError(line: nil, reason: .empty) }
        guard last > 0 else { throw TraceError(line: nil, reason: .noTime) }
        self.milliseconds = milliseconds
    }

    /// Reads a trace.
    ///
    /// Blank lines are skipped, and so are blanks around a number. The error names the line.
    public init(parsing text: String) throws(TraceError) {
        var milliseconds: [UInt64] = []
        var lastLine = 0
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" }
            guard let word = words.first else { continue }
            lastLine = index + 1
            guard words.count == 1, word.utf8.allSatisfy(Self.digits.contains) else {
                throw TraceError(line: lastLine, reason: .notANumber(String(line)))
            }
            guard let moment = UInt64(word), moment <= Self.longestPeriod else {
                throw TraceError(line: lastLine, reason: .tooLate(String(word)))
            }
            if let last = milliseconds.last, moment < last {
                throw TraceError(
                    line: lastLine, reason: .outOfOrder(earlier: last, later: moment))
            }
            milliseconds.append(moment)
        }
        guard let last = milliseconds.last else { throw TraceError(line: nil, reason: .empty) }
        guard last > 0 else { throw TraceError(line: lastLine, reason: .noTime) }
        self.milliseconds = milliseconds
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// After so long the trace starts over.
    public var period: Duration { .milliseconds(Int64(periodMilliseconds)) }

    /// The number of opportunities in one period.
    public var opportunityCount: Int { milliseconds.count }

    /// What passes in the mean if there is always something to send.
    public var meanBandwidth: Bandwidth {
        let bits = UInt128(milliseconds.count) * UInt128(Self.opportunity.bytes) * 8
        let rate = bits * 1000 / UInt128(periodMilliseconds)
        return .bitsPerSecond(max(1, UInt64(clamping: rate)))
    }

    /// The trace in mahimahi's format, as it is read back.
    public var text: String {
        var text = ""
        text.reserveCapacity(milliseconds.count * 8)
        for moment in milliseconds { text += "\(moment)\n" }
        return text
    }

    /// What passes in each stretch of so many milliseconds if there is always something to send,
    /// from the start of the trace to its end. The last one may be shorter.
    package func byteCounts(perMilliseconds length: UInt64) -> [ByteCount] {
        let count = Int((periodMilliseconds - 1) / length) + 1
        var numbers = [UInt64](repeating: 0, count: count)
        for moment in milliseconds { numbers[min(Int(moment / length), count - 1)] += 1 }
        return numbers.map { ByteCount(bytes: $0 * Self.opportunity.bytes) }
    }

    package var periodMilliseconds: UInt64 { milliseconds.last ?? 1 }
}
