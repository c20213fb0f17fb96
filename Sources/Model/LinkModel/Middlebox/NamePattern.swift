/// Names of hosts: `shop.example` is that name, `*.example` every name below it, `*` every name.
public struct NamePattern: Sendable, Hashable, Codable {
    /// How a profile writes it, in lower case.
    public let text: String

    /// Every name.
    public static let all = NamePattern(knownText: "*")

    private init(knownText text: String) { self.text = text }

    /// Reads a pattern; nil for what is none. Names of other scripts are written as on the wire
    /// (`xn--...`).
    public init?(parsing text: String) {
        let bare = (text.hasSuffix(".") ? text.dropLast() : text[...]).lowercased()
        var labels = bare.split(separator: ".", omittingEmptySubsequences: false)[...]
        if labels.first == "*" { labels.removeFirst() }
        let isName =
            bare.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy { byte in
                        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    }
            }
        guard isName, !bare.isEmpty else { return nil }
        self.text = bare
    }

    /// Decodes a text; throws for what is no pattern.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let pattern = NamePattern(parsing: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no name of a host")
        }
        self = pattern
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// What names below it end with, including the dot; nil if it is a single name.
    private var suffix: Substring? { text.hasPrefix("*") ? text.dropFirst() : nil }

    /// Whether a name, in lower case and without the final dot, is meant.
    public func matches(_ name: String) -> Bool {
        guard let suffix else { return name == text }
        return name.utf8.count > suffix.utf8.count && name.hasSuffix(suffix)
    }

    /// Whether all names of `other` are meant too.
    func includes(_ other: NamePattern) -> Bool {
        guard let suffix else { return other == self }
        guard let inner = other.suffix else { return matches(other.text) }
        return inner.hasSuffix(suffix)
    }
}
