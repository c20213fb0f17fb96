public import LinkUnits
import Recording

/// What is expected of the command under a profile.
public struct Expectations: Codable, Sendable, Hashable {
    /// Its exit code; zero by default.
    public var exit: ExitExpectation?
    /// How long it takes.
    public var duration: DurationExpectation?
    /// How many bytes pass over the link, in both directions, including IP headers.
    public var transferred: TransferExpectation?
    /// Its network use.
    public var requests: RequestExpectation?
    /// Values of fields of the profile, one at a time, at which it still ends as `exit` says; each
    /// is a cell of its own.
    public var survives: [String: String]?

    /// Their keys in a file.
    static let keys = ["exit", "duration", "transferred", "requests", "survives"]

    /// Whether they can only be judged after the baseline.
    public var needBaseline: Bool {
        if case .baseline = duration?.limit { return true }
        return false
    }

    /// These, with those of `others` where nothing is set.
    public func filled(from others: Expectations) -> Expectations {
        Expectations(
            exit: exit ?? others.exit, duration: duration ?? others.duration,
            transferred: transferred ?? others.transferred, requests: requests ?? others.requests,
            survives: survives ?? others.survives)
    }
}

/// The expected duration of the command.
public struct DurationExpectation: WrittenAsText {
    /// The limit of a duration.
    public enum Limit: Sendable, Hashable {
        /// An absolute time.
        case time(Duration)
        /// A multiple of the duration without conditions.
        case baseline(Double)
    }

    /// Whether the limit is a maximum or a minimum.
    public var side: BoundSide
    /// The limit.
    public var limit: Limit

    /// Reads `at most 30 s`, `at least 2 x baseline`.
    public init(parsing text: String) throws(QuantityError) {
        let rest: String
        (side, rest) = try BoundSide.split(text, example: "at most 3 x baseline")
        guard rest.hasSuffix("baseline") else {
            limit = .time(try Duration(parsing: rest))
            return
        }
        let number = rest.dropLast("baseline".count).filter { !$0.isWhitespace }
        guard let sign = number.last, "x×*".contains(sign),
            let factor = Double(number.dropLast()), factor.isFinite, factor > 0
        else {
            throw QuantityError(
                "\"\(text)\" does not say how many times the baseline; write \"\(side.rawValue) "
                    + "3 x baseline\"")
        }
        limit = .baseline(factor)
    }

    /// The text as `init(parsing:)` reads it.
    public var description: String {
        switch limit {
        case .time(let time): "\(side.rawValue) \(time.unitText)"
        case .baseline(let factor): "\(side.rawValue) \(factor.exactText) x baseline"
        }
    }
}

/// The expected number of bytes on the link.
public struct TransferExpectation: WrittenAsText {
    /// Whether the limit is a maximum or a minimum.
    public var side: BoundSide
    /// The limit.
    public var limit: ByteCount

    /// Reads `at most 2 MB`.
    public init(parsing text: String) throws(QuantityError) {
        let rest: String
        (side, rest) = try BoundSide.split(text, example: "at most 2 MB")
        limit = try ByteCount(parsing: rest, example: "2 MB")
    }

    /// The text as `init(parsing:)` reads it.
    public var description: String { "\(side.rawValue) \(limit.exactText)" }
}

/// The command's expected network use.
public enum RequestExpectation: WrittenAsText {
    /// It opens no connection and sends nothing while its path is constrained.
    case noneWhileConstrained
    /// How often it asks something of the network.
    case count(BoundSide, UInt64)

    private static let none = "none while constrained"

    /// Reads `none while constrained`, `at most 40`.
    public init(parsing text: String) throws(QuantityError) {
        guard text != Self.none else {
            self = .noneWhileConstrained
            return
        }
        guard let (side, rest) = try? BoundSide.split(text, example: "at most 40"),
            rest.allSatisfy({ "0123456789".contains($0) }), let count = UInt64(rest)
        else {
            throw QuantityError(
                "\"\(text)\" is nothing that requests can be; write \"at most 40\" or "
                    + "\"\(Self.none)\"")
        }
        self = .count(side, count)
    }

    /// The text as `init(parsing:)` reads it.
    public var description: String {
        switch self {
        case .noneWhileConstrained: Self.none
        case .count(let side, let count): "\(side.rawValue) \(count)"
        }
    }
}

/// Whether a limit is a maximum or a minimum.
public enum BoundSide: String, Sendable, Hashable, CaseIterable {
    case atMost = "at most"
    case atLeast = "at least"

    /// Removes the prefix that names the side from `text`.
    static func split(
        _ text: String, example: String
    ) throws(QuantityError) -> (side: BoundSide, rest: String) {
        for side in allCases where text.hasPrefix(side.rawValue + " ") {
            return (side, String(text.dropFirst(side.rawValue.count + 1)))
        }
        throw QuantityError(
            "\"\(text)\" has no limit; write \"at most\" or \"at least\" in front, as in "
                + "\"\(example)\"")
    }

    func holds<Value: Comparable>(_ value: Value, _ limit: Value) -> Bool {
        self == .atMost ? value <= limit : value >= limit
    }
}

/// A value written in files and reports as text for people.
public protocol WrittenAsText: Codable, Sendable, Hashable, CustomStringConvertible {
    /// Reads the text.
    init(parsing text: String) throws(QuantityError)
}

extension WrittenAsText {
    /// Decodes the text.
    public init(from decoder: any Decoder) throws {
        try self.init(parsing: decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
