extension Duration {
    private static let writtenUnits: [(name: String, factor: UInt64)] = [
        ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000), ("ns", 1),
    ]

    /// Reads `40 ms`, `1.5 s`, `10 min`, `2 hours`, and combinations: `1h 30m`.
    public init(parsing text: String) throws(QuantityError) {
        let parts = Self.parts(of: text.trimmingBlanks())
        guard parts.count > 1 else {
            self = try Self.single(text)
            return
        }
        self = .zero
        for part in parts {
            self += try Self.single(part)
            guard self <= .nanoseconds(Int64.max) else { throw Self.outside(text) }
        }
    }

    /// The numbers in `text`, each with its unit.
    private static func parts(of text: String) -> [String] {
        var parts: [String] = []
        var seenUnit = true
        for character in text {
            let isNumber = character.isASCII && (character.isNumber || character == ".")
            if isNumber, seenUnit {
                parts.append("")
                seenUnit = false
            } else if character.isLetter {
                seenUnit = true
            }
            guard !parts.isEmpty else { return [text] }
            parts[parts.count - 1].append(character)
        }
        return parts
    }

    private static func outside(_ text: String) -> QuantityError {
        QuantityError("\"\(text)\" is outside 1 ns to 290 years")
    }

    private static func single(_ text: String) throws(QuantityError) -> Duration {
        let quantity = try Quantity(text, kind: "duration", example: "50 ms")
        let factor: UInt64
        switch quantity.unit.lowercased() {
        case "d", "day", "days": factor = 86_400_000_000_000
        case "h", "hr", "hrs", "hour", "hours": factor = 3_600_000_000_000
        case "m", "min", "mins", "minute", "minutes": factor = 60_000_000_000
        case "s", "sec", "secs", "second", "seconds": factor = 1_000_000_000
        case "ms", "msec", "msecs", "millisecond", "milliseconds": factor = 1_000_000
        // The micro sign and the Greek letter mu look alike; people type both.
        case "us", "usec", "usecs", "microsecond", "microseconds", "\u{b5}s", "\u{3bc}s":
            factor = 1000
        case "ns", "nsec", "nanosecond", "nanoseconds": factor = 1
        default:
            throw QuantityError(
                "\"\(text)\" has an unknown unit \"\(quantity.unit)\"; use us, ms, s, min, h or d")
        }
        guard let value = quantity.scaled(by: factor), let nanoseconds = Int64(exactly: value)
        else { throw outside(text) }
        return .nanoseconds(nanoseconds)
    }

    /// The whole nanoseconds: 0 for a negative duration, and at most 584 years.
    public var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        let whole = UInt64(clamping: seconds).multipliedSaturated(by: 1_000_000_000)
        return whole.addingSaturated(UInt64(clamping: attoseconds) / 1_000_000_000)
    }

    /// The length in milliseconds, for statistics and JSON.
    public var milliseconds: Double { Double(wholeNanoseconds) / 1_000_000 }

    /// The exact length to the nanosecond in the largest unit in which it is at least 1: `1.5 s`,
    /// `41.5 ms`.
    public var unitText: String {
        let nanoseconds = wholeNanoseconds
        guard let unit = Self.writtenUnits.first(where: { nanoseconds >= $0.factor }) else {
            return "0 ms"
        }
        return "\(decimalText(nanoseconds, scale: unit.factor)) \(unit.name)"
    }

    /// The length as `tc` reads it: `41.5ms`.
    public var tcText: String {
        unitText.filter { $0 != " " }
    }
}
