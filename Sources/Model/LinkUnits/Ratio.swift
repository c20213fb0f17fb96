/// A probability or share from 0 to 1, exact to one part per billion.
///
/// An integer rather than a `Double`, so that `0.1%` is printed as it was written.
public struct Ratio: Sendable, Hashable, Codable, Comparable {
    /// The share in parts per billion.
    public let partsPerBillion: UInt32

    /// Nothing.
    public static let zero = Ratio(knownPartsPerBillion: 0)

    /// Everything, 100 %.
    public static let one = Ratio(knownPartsPerBillion: 1_000_000_000)

    /// A share known to be at most 100 %, such as a literal.
    public init(knownPartsPerBillion partsPerBillion: UInt32) {
        precondition(partsPerBillion <= 1_000_000_000, "a share is at most 100 %")
        self.partsPerBillion = partsPerBillion
    }

    /// Makes a share, or nil above 100 %.
    public init?(partsPerBillion: UInt32) {
        guard partsPerBillion <= 1_000_000_000 else { return nil }
        self.partsPerBillion = partsPerBillion
    }

    /// Decodes the synthesized format; throws above 100 %.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let value = try container.decode(UInt32.self, forKey: .partsPerBillion)
        guard let ratio = Ratio(partsPerBillion: value) else {
            throw DecodingError.dataCorruptedError(
                forKey: .partsPerBillion, in: container, debugDescription: "no share up to 100 %")
        }
        self = ratio
    }

    /// The share nearest to `value`, or nil outside 0 to 1.
    public init?(_ value: Double) {
        guard (0...1).contains(value) else { return nil }
        self.partsPerBillion = UInt32((value * 1_000_000_000).rounded())
    }

    /// A share in per cent, at most 100.
    public static func percent(_ value: UInt32) -> Ratio {
        Ratio(knownPartsPerBillion: value * 10_000_000)
    }

    /// The share as a number from 0 to 1.
    public var value: Double { Double(partsPerBillion) / 1_000_000_000 }

    /// Orders by size.
    public static func < (left: Ratio, right: Ratio) -> Bool {
        left.partsPerBillion < right.partsPerBillion
    }
}

extension Ratio: CustomStringConvertible {
    /// Reads `2%` or `0.13 %`.
    public init(parsing text: String) throws(QuantityError) {
        let quantity = try Quantity(text, kind: "percentage", example: "2%")
        guard quantity.unit == "%" else {
            throw QuantityError(
                "\"\(text)\" has an unknown unit \"\(quantity.unit)\"; write a percentage such as \"2%\""
            )
        }
        guard !quantity.exceeds(100) else {
            throw QuantityError("\"\(text)\" is more than 100%")
        }
        guard let parts = quantity.scaled(by: 10_000_000) else {
            throw QuantityError("\"\(text)\" is too small; the smallest share is 0.0000001%")
        }
        self.init(knownPartsPerBillion: UInt32(parts))
    }

    /// The exact share in per cent: `0.13%`.
    public var description: String {
        "\(decimalText(UInt64(partsPerBillion), scale: 10_000_000))%"
    }
}
