/// Why a text is not a delivery trace.
public struct TraceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Hashable, Sendable {
        /// The line is not a single whole number.
        case notANumber(String)
        /// The time is more than a year after the start.
        case tooLate(String)
        /// The time is before that of the previous line.
        case outOfOrder(earlier: UInt64, later: UInt64)
        /// The text has no lines.
        case empty
        /// All times are zero, so the trace has no length.
        case noTime
    }

    /// The line, counted from 1; nil if the error concerns the whole text.
    public let line: Int?
    /// What is wrong.
    public let reason: Reason

    /// What is wrong and what to do about it, in one sentence.
    public var description: String {
        let explanation =
            switch reason {
            case .notANumber(let text):
                "\"\(text.prefix(40))\" is not a moment; write a whole number of milliseconds, "
                    + "one per line"
            case .tooLate(let text):
                "\(text.prefix(40)) ms is too late; a trace ends within a year"
            case .outOfOrder(let earlier, let later):
                "\(later) ms comes after \(earlier) ms; write the moments in rising order"
            case .empty:
                "the trace is empty; write one line for each moment at which a packet can pass"
            case .noTime:
                "the trace ends at 0 ms; its last moment is its length and has to be later"
            }
        return line.map { "line \($0): \(explanation)" } ?? explanation
    }
}
