import Synchronization

/// A value of any type in a JSON text or a property list.
///
/// Formats are read from this tree rather than as `Codable` structs, because decoders ignore
/// unknown keys, and the user must be told of everything that is not imported.
enum ForeignValue: Sendable {
    case table([String: ForeignValue])
    case list([ForeignValue])
    case number(Double)
    case text(String)
    case flag(Bool)
    case null
    /// Dates and binary data of a property list, which are never conditions.
    case other

    /// The type's name, for errors.
    var kind: String {
        switch self {
        case .table: "a table"
        case .list: "a list"
        case .number: "a number"
        case .text: "a text"
        case .flag: "true or false"
        case .null: "null"
        case .other: "a date or data"
        }
    }
}

extension ForeignValue: Decodable {
    /// A binary property list can contain itself, and JSON is read recursively.
    static let deepestNesting = 32

    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.deepestNesting else {
            throw ValueBudget.Exceeded(explanation: "is nested too deeply; no such file is")
        }
        for case let budget as ValueBudget in decoder.userInfo.values { try budget.spend() }
        if let scalar = Self.scalar(decoder) {
            self = scalar
        } else if let fields = try? decoder.container(keyedBy: Key.self) {
            var table: [String: ForeignValue] = [:]
            for key in fields.allKeys {
                table[key.stringValue] = try fields.decode(ForeignValue.self, forKey: key)
            }
            self = .table(table)
        } else if var elements = try? decoder.unkeyedContainer() {
            var list: [ForeignValue] = []
            while !elements.isAtEnd { list.append(try elements.decode(ForeignValue.self)) }
            self = .list(list)
        } else {
            self = .other
        }
    }

    private static func scalar(_ decoder: any Decoder) -> ForeignValue? {
        guard let value = try? decoder.singleValueContainer() else { return nil }
        if value.decodeNil() { return .null }
        if let flag = try? value.decode(Bool.self) { return .flag(flag) }
        if let number = try? value.decode(Double.self) { return .number(number) }
        return (try? value.decode(String.self)).map(ForeignValue.text)
    }
}

/// The number of values that a file may still have.
///
/// Elements of a binary property list may share their contents, so a small file can expand beyond
/// any memory.
final class ValueBudget: Sendable {
    struct Exceeded: Error {
        let explanation: String
    }

    private let left = Mutex(50_000)

    func spend() throws(Exceeded) {
        let isLeft = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard isLeft else { throw Exceeded(explanation: "has too many values; no such file does") }
    }
}
