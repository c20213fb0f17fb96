/// The link-layer (MAC) address of a device on an Ethernet or Wi-Fi.
public struct HardwareAddress: Sendable, Hashable, Comparable, LosslessStringConvertible {
    /// Its six bytes.
    public let bytes: [UInt8]

    /// Takes six bytes that are not all zero.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 6, bytes.contains(where: { $0 != 0 }) else { return nil }
        self.bytes = bytes
    }

    /// Reads `aa:bb:cc:dd:ee:ff`, in which hyphens may stand for the colons.
    public init?(_ text: String) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "-" }
        guard parts.count == 6 else { return nil }
        let bytes = parts.compactMap { $0.utf8.count == 2 ? UInt8($0, radix: 16) : nil }
        guard bytes.count == 6 else { return nil }
        self.init(bytes: bytes)
    }

    /// The usual form: `aa:bb:cc:dd:ee:ff`.
    public var description: String { digits.joined(separator: ":") }

    /// The form without colons, for names.
    var word: String { digits.joined() }

    private var digits: [String] {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
    }

    /// By their bytes.
    public static func < (first: Self, second: Self) -> Bool {
        first.bytes.lexicographicallyPrecedes(second.bytes)
    }
}

/// Encoded as its text.
extension HardwareAddress: Codable {
    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Decodes a text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let address = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no hardware address")
        }
        self = address
    }
}
