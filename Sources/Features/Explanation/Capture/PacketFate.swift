import LinkModel

/// What the link did to a packet, as its comment in a capture says.
///
/// `PacketEnd` in `Recording` writes the comment: `delivered after 65.013 ms, 10.000 ms queued,
/// 1.200 ms sending, 1.234 ms late`.
package struct PacketFate: Sendable, Hashable {
    /// Why a packet did not arrive.
    package enum Drop: Sendable, Hashable {
        case lost, queueFull, managed, corrupted, oversized, stopped, disconnected
    }

    package var drop: Drop?
    /// Whether the link made it, as a copy of the packet that follows.
    package var isCopy = false
    /// The time on the link.
    package var delay = Duration.zero
    /// The time before its transmission; nil in captures of linkcond before it was recorded.
    package var queueing: Duration?
    /// The time of its transmission; nil as above.
    package var transmission: Duration?
    /// How much later than after `delay` the machine delivered it.
    package var lateness = Duration.zero

    /// From when it entered the link to when it left it.
    package var passage: Duration { delay + lateness }

    /// A packet that passed at once, or of which nothing is known.
    init() {}

    /// Reads a comment; nil if it is not one of ours.
    init?(_ comment: Span<UInt8>) {
        var start = 0
        var isFirst = true
        while start < comment.count {
            var end = start
            while end < comment.count, comment[end] != UInt8(ascii: ",") { end += 1 }
            let part = comment.extracting(start..<end)
            if isFirst {
                guard readFate(part) else { return nil }
                // What precedes the delivery, of which the next part tells.
                isFirst = isCopy && delay == .zero
            } else {
                readDetail(part)
            }
            start = end + 2
        }
        guard !isFirst else { return nil }
    }

    /// Reads the first part; false if it is none of ours.
    private mutating func readFate(_ part: Span<UInt8>) -> Bool {
        if let time = Self.milliseconds(in: part, after: "delivered after ") {
            delay = time
            return true
        }
        if part.equals("duplicate") {
            isCopy = true
        } else if part.equals("lost") {
            drop = .lost
        } else if part.equals("queue full") {
            drop = .queueFull
        } else if part.hasPrefix("dropped by ") {
            drop = .managed
        } else if part.equals("larger than the MTU") {
            drop = .oversized
        } else if Self.isStop(part) {
            drop = .stopped
        } else if part.equals("interface down") {
            drop = .disconnected
        } else if part.hasPrefix("corrupted bit ") {
            // The receiver's checksum does not match.
            drop = .corrupted
        } else {
            return part.equals("exempt: passes at once")
                || part.equals("answer of the link: passes at once")
        }
        return true
    }

    /// Whether what stands in the middle stopped it.
    private static func isStop(_ part: Span<UInt8>) -> Bool {
        for reason in MiddleboxDrop.allCases where part.equals(reason.reason) { return true }
        return false
    }

    private mutating func readDetail(_ part: Span<UInt8>) {
        if let time = Self.milliseconds(in: part, after: "delivered after ") {
            delay = time
        } else if part.hasSuffix(" ms queued") {
            queueing = Self.milliseconds(in: part, after: "")
        } else if part.hasSuffix(" ms sending") {
            transmission = Self.milliseconds(in: part, after: "")
            queueing = queueing ?? .zero
        } else if part.hasSuffix(" ms late") {
            lateness = Self.milliseconds(in: part, after: "") ?? .zero
        }
    }

    /// A number of milliseconds with three decimals behind a prefix.
    private static func milliseconds(in part: Span<UInt8>, after prefix: String) -> Duration? {
        guard part.hasPrefix(prefix) else { return nil }
        var offset = prefix.utf8.count
        var (microseconds, decimals) = (Int64(0), -1)
        while offset < part.count, decimals < 3, microseconds < Int64.max / 100 {
            switch part[offset] {
            case UInt8(ascii: "."):
                guard decimals < 0 else { return nil }
                decimals = 0
            case let digit where digit >= 0x30 && digit <= 0x39:
                microseconds = microseconds * 10 + Int64(digit - 0x30)
                if decimals >= 0 { decimals += 1 }
            default:
                return nil
            }
            offset += 1
        }
        guard decimals == 3, part.extracting(offset..<part.count).hasPrefix(" ms") else {
            return nil
        }
        return .microseconds(microseconds)
    }
}

extension Span<UInt8> {
    /// Whether it begins with the bytes of a text.
    func hasPrefix(_ text: String) -> Bool {
        guard text.utf8.count <= count else { return false }
        var index = 0
        for byte in text.utf8 {
            guard self[index] == byte else { return false }
            index += 1
        }
        return true
    }

    /// Whether it ends with the bytes of a text.
    func hasSuffix(_ text: String) -> Bool {
        let length = text.utf8.count
        return length <= count && extracting(count - length..<count).hasPrefix(text)
    }

    /// Whether it has the bytes of a text.
    func equals(_ text: String) -> Bool { count == text.utf8.count && hasPrefix(text) }
}
