import FoundationEssentials

/// JSON as linkcond prints it: indented, its keys in alphabetical order.
enum JSONText {
    /// On one line.
    static func line(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        // Without sorting, the order of keys changes from run to run.
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// A value that is written as null where there is none; an `Optional` would be left out.
struct OrNull<Value: Encodable>: Encodable {
    let value: Value?

    init(_ value: Value?) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let value { try container.encode(value) } else { try container.encodeNil() }
    }
}
