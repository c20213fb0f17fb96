public import LinkUnits
import Recording

/// What is expected of the command under a profile.
public struct Expectations: Codable, Sendable, Hashable {
    /// Its exit code; zero unless something else is said.
    public var exit: ExitExpectation?
    /// How long it takes.
    public var duration: DurationExpectation?
    /// How many bytes pass over the link, both ways, IP headers included.
    public var transferred: TransferExpectation?
    /// What it asks of the network.
    public var requests: RequestExpectation?

    /// The keys by which a file names them.
    static let keys = ["exit", "duration", "transferred", "requests"]

    /// Expects the exit code 0 and nothing else.
    public init(
        exit: ExitExpectation? = nil, duration: DurationExpectation? = nil,
        transferred: TransferExpectation? = nil, requests: RequestExpectation? = nil
    ) {
        self.exit = exit
        self.duration = duration
        self.transferred = transferred
        self.requests = requests
    }

    /// Whether they can only be judged when the baseline has run.
    public var needBaseline: Bool {
        if case .baseline = duration?.limit { return true }
        return false
    }
}

/// Which exit code is expected.
public enum ExitExpectation: WrittenAsText {
    case zero
    case nonzero
    case code(Int32)

    /// Reads `zero`, `nonzero` or a number.
    public init(parsing text: String) throws(QuantityError) {
        switch text {
        case "zero", "0": self = .zero
        case "nonzero": self = .nonzero
        default:
            guard let code = UInt8(text) else {
                throw QuantityError(
                    "\"\(text)\" is not an exit code; write zero, nonzero or a number up to 255")
            }
            self = .code(Int32(code))
        }
    }

    /// As it is read.
    public var description: String {
        switch self {
        case .zero: "zero"
        case .nonzero: "nonzero"
        case .code(let code): "\(code)"
        }
    }

    func isMet(by exitCode: Int32) -> Bool {
        switch self {
        case .zero: exitCode == 0
        case .nonzero: exitCode != 0
        case .code(let code): exitCode == code
        }
    }
}

/// How long the command is expected to take.
public struct DurationExpectation: WrittenAsText {
    /// With what its time is compared.
    public enum Limit: Sendable, Hashable {
        /// A time.
        case time(Duration)
        /// So many times the time that it takes without conditions.
        case baseline(Double)
    }

    /// On which side of the limit it has to be.
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

    /// As it is read.
    public var description: String {
        switch limit {
        case .time(let time): "\(side.rawValue) \(time.unitText)"
        case .baseline(let factor): "\(side.rawValue) \(factor.exactText) x baseline"
        }
    }
}

/// How many bytes are expected to pass over the link.
public struct TransferExpectation: WrittenAsText {
    /// On which side of the limit they have to be.
    public var side: BoundSide
    /// The limit.
    public var limit: ByteCount

    /// Reads `at most 2 MB`.
    public init(parsing text: String) throws(QuantityError) {
        let rest: String
        (side, rest) = try BoundSide.split(text, example: "at most 2 MB")
        limit = try ByteCount(parsing: rest)
    }

    /// As it is read.
    public var description: String { "\(side.rawValue) \(limit.exactText)" }
}

/// What the command is expected to ask of the network.
public enum RequestExpectation: WrittenAsText {
    /// It opens no connection and sends nothing as long as its path is constrained.
    case noneWhileConstrained

    private static let text = "none while constrained"

    /// Reads `none while constrained`.
    public init(parsing text: String) throws(QuantityError) {
        guard text == Self.text else {
            throw QuantityError(
                "\"\(text)\" is nothing that requests can be; write \"\(Self.text)\"")
        }
        self = .noneWhileConstrained
    }

    /// As it is read.
    public var description: String { Self.text }
}

/// A side of a limit.
public enum BoundSide: String, Sendable, Hashable, CaseIterable {
    case atMost = "at most"
    case atLeast = "at least"

    /// Takes the side off the front of `text`.
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

/// A value that files and reports hold as the text in which people write it.
public protocol WrittenAsText: Codable, Sendable, Hashable, CustomStringConvertible {
    /// Reads the text.
    init(parsing text: String) throws(QuantityError)
}

extension WrittenAsText {
    /// Reads the text from a report.
    public init(from decoder: any Decoder) throws {
        try self.init(parsing: decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text into a report.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
