/// A number of bytes.
public struct ByteCount: Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
    /// The number of bytes.
    public let bytes: UInt64

    /// Makes a count.
    public init(bytes: UInt64) {
        self.bytes = bytes
    }

    private static let units: [(name: String, factor: UInt64)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
        ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000), ("B", 1),
    ]

    /// Reads `64 KiB`, `10 kB`, `1500 B`.
    public init(parsing text: String) throws(QuantityError) {
        try self.init(parsing: text, example: "64 KiB")
    }

    /// Reads a size; errors suggest the unit of `example`.
    public init(parsing text: String, example: String) throws(QuantityError) {
        let quantity = try Quantity(text, kind: "size", example: example)
        let unit = quantity.unit.lowercased()
        guard let factor = Self.units.first(where: { $0.name.lowercased() == unit })?.factor else {
            throw QuantityError(
                "\"\(text)\" has an unknown unit \"\(quantity.unit)\"; use "
                    + (example.hasSuffix("iB") ? "B, KiB, MiB or GiB" : "B, kB, MB or GB"))
        }
        guard let value = quantity.scaled(by: factor) else {
            throw QuantityError("\"\(text)\" is not a whole number of bytes in range")
        }
        self.init(bytes: value)
    }

    /// The exact size in the largest binary unit that divides it: `64 KiB`, `1500 B`.
    public var description: String {
        let unit =
            Self.units.prefix(3).first { bytes > 0 && bytes.isMultiple(of: $0.factor) } ?? ("B", 1)
        return "\(bytes / unit.factor) \(unit.name)"
    }

    /// How many packets of `size` hold this many bytes, rounded up.
    public func packets(of size: ByteCount) -> Int {
        precondition(size.bytes > 0, "a packet has bytes")
        let (whole, rest) = bytes.quotientAndRemainder(dividingBy: size.bytes)
        // Adding before dividing would overflow for counts near the maximum.
        return Int(clamping: rest == 0 ? whole : whole + 1)
    }

    /// Orders by size.
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }
}
