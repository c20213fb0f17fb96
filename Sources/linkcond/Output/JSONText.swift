import FoundationEssentials

/// JSON as linkcond prints it: indented, with keys in alphabetical order.
enum JSONText {
    /// On one line.
    static func line(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        // Without sorting, the order of keys would vary from run to run.
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
