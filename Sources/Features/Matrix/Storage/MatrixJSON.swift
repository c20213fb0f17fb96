import FoundationEssentials

/// The JSON of reports and of what they are made from.
enum MatrixJSON {
    /// With milliseconds: merging compares times. Reports of older versions have whole seconds.
    private static let dateFormat = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func decode<Value: Decodable>(
        _ type: Value.Type, from json: some Sequence<UInt8>
    ) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return try (try? dateFormat.parse(text)) ?? Date.ISO8601FormatStyle().parse(text)
        }
        return try decoder.decode(type, from: Data(json))
    }

    /// The value on one line: indenting the samples would multiply its size.
    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(dateFormat.format(date))
        }
        // Without sorting, the order of keys would vary from run to run.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}
