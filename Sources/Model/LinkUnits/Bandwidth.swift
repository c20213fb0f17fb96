/// A data rate in bits per second. Never zero: a link without a limit has no bandwidth value.
public struct Bandwidth: Sendable, Hashable, Codable, Comparable {
    /// The rate in bits per second.
    public let bitsPerSecond: UInt64

    /// Makes a rate, or nil for zero.
    public init?(bitsPerSecond: UInt64) {
        guard bitsPerSecond > 0 else { return nil }
        self.bitsPerSecond = bitsPerSecond
    }

    /// Decodes the synthesized format; throws for zero.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let value = try container.decode(UInt64.self, forKey: .bitsPerSecond)
        guard let rate = Bandwidth(bitsPerSecond: value) else {
            throw DecodingError.dataCorruptedError(
                forKey: .bitsPerSecond, in: container, debugDescription: "no rate above zero")
        }
        self = rate
    }

    private init(positive bitsPerSecond: UInt64) {
        precondition(bitsPerSecond > 0, "a bandwidth is above zero")
        self.bitsPerSecond = bitsPerSecond
    }

    /// A rate known to be above zero, such as a literal.
    public static func bitsPerSecond(_ value: UInt64) -> Bandwidth { Bandwidth(positive: value) }

    /// A rate in units of 1,000 bits per second.
    public static func kilobitsPerSecond(_ value: UInt64) -> Bandwidth {
        Bandwidth(positive: value * 1000)
    }

    /// A rate in units of 1,000,000 bits per second.
    public static func megabitsPerSecond(_ value: UInt64) -> Bandwidth {
        Bandwidth(positive: value * 1_000_000)
    }

    /// The time `count` bytes occupy the wire, rounded down to nanoseconds; at most 292 years.
    public func serializationDelay(of count: ByteCount) -> Duration {
        let nanoseconds = UInt128(count.bytes) * 8_000_000_000 / UInt128(bitsPerSecond)
        return .nanoseconds(Int64(clamping: nanoseconds))
    }

    /// The bytes that pass in `time`, rounded up.
    public func byteCount(in time: Duration) -> ByteCount {
        let bits = UInt128(bitsPerSecond) * UInt128(time.wholeNanoseconds)
        return ByteCount(bytes: UInt64(clamping: (bits + 7_999_999_999) / 8_000_000_000))
    }

    /// Orders by rate.
    public static func < (left: Bandwidth, right: Bandwidth) -> Bool {
        left.bitsPerSecond < right.bitsPerSecond
    }
}

extension Bandwidth: CustomStringConvertible {
    private static let units: [(name: String, factor: UInt64)] = [
        ("Tbit/s", 1_000_000_000_000), ("Gbit/s", 1_000_000_000), ("Mbit/s", 1_000_000),
        ("kbit/s", 1000), ("bit/s", 1),
    ]

    /// Reads `10 Mbit/s`; also tc's spelling, `10mbit`.
    public init(parsing text: String) throws(QuantityError) {
        let quantity = try Quantity(text, kind: "bandwidth", example: "10 Mbit/s")
        let unit = quantity.unit.lowercased()
        guard
            let factor = Self.units.first(where: { entry in
                unit == entry.name.lowercased() || unit + "/s" == entry.name.lowercased()
            })?.factor
        else {
            if unit.hasSuffix("bps") {
                // tc reads "mbps" as megabytes per second; everyone else reads megabits.
                throw QuantityError(
                    "\"\(text)\" is read differently by different tools; "
                        + "write kbit/s, Mbit/s or Gbit/s")
            }
            throw QuantityError(
                "\"\(text)\" has an unknown unit \"\(quantity.unit)\"; "
                    + "use bit/s, kbit/s, Mbit/s or Gbit/s")
        }
        guard quantity.digits > 0 else {
            throw QuantityError(
                "\"\(text)\" lets nothing through; write \"unlimited\" for no limit, "
                    + "or blackhole: true for 100 % loss")
        }
        guard let value = quantity.scaled(by: factor) else {
            throw QuantityError("\"\(text)\" is outside 1 bit/s to 18,000,000 Tbit/s")
        }
        self.init(positive: value)
    }

    /// The exact rate in the largest unit in which it is at least 1: `1.6384 Mbit/s`.
    public var description: String {
        let unit = Self.units.first { bitsPerSecond >= $0.factor } ?? ("bit/s", 1)
        return "\(decimalText(bitsPerSecond, scale: unit.factor)) \(unit.name)"
    }

    /// The rate as `tc` reads it: `10mbit`, `780kbit`.
    public var tcText: String {
        for (name, factor) in Self.units.dropFirst() where bitsPerSecond.isMultiple(of: factor) {
            return "\(bitsPerSecond / factor)\(name.dropLast(2).lowercased())"
        }
        return "\(bitsPerSecond)bit"
    }
}
