import FoundationEssentials

/// Lines of JSON on the connection between a controller and the proxy.
public enum ControlLine {
    /// The longest line that the proxy accepts, in bytes.
    public static let longestCall = 1 << 20

    /// A value as a line, with its end.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        // The encoder escapes line ends within text.
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try Array(encoder.encode(value)) + [UInt8(ascii: "\n")]
    }

    /// The value of a line without its end.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from line: some Collection<UInt8>
    ) throws -> Value {
        try JSONDecoder().decode(type, from: Data(line))
    }
}

/// Collects bytes of a stream into lines.
public struct LineCollector: Sendable {
    private var rest: [UInt8] = []
    private let limit: Int

    /// Makes an empty one for lines of at most `limit` bytes.
    public init(limit: Int = ControlLine.longestCall) { self.limit = limit }

    /// Adds bytes and returns the lines that they complete, without their ends; nil if a line is too
    /// long, after which the stream cannot be understood any more.
    public mutating func add(_ bytes: some Collection<UInt8>) -> [[UInt8]]? {
        var lines: [[UInt8]] = []
        for byte in bytes {
            guard byte != UInt8(ascii: "\n") else {
                lines.append(rest)
                rest = []
                continue
            }
            guard rest.count < limit else { return nil }
            rest.append(byte)
        }
        return lines
    }
}
