import LinkModel
import LinkUnits

/// A value of a quantity that is searched, as a number of its unit.
public struct OrderedValue: Sendable, Hashable {
    /// What the number counts.
    public enum Unit: String, Sendable, Hashable, Codable {
        case bitsPerSecond, nanoseconds, partsPerBillion, packets, bytes
    }

    /// What the number counts.
    public let unit: Unit
    /// The number, a whole one.
    public let number: Double

    /// Makes a value, which is rounded to a whole number of at least 0.
    init(_ number: Double, _ unit: Unit) {
        self.number = min(max(0, number.rounded()), 9e18)
        self.unit = unit
    }

    /// Reads the value of a field, with its unit.
    init(parsing text: String, scale: FieldScale) throws(QuantityError) {
        switch scale {
        case .bandwidth:
            self.init(Double(try Bandwidth(parsing: text).bitsPerSecond), .bitsPerSecond)
        case .duration:
            self.init(Double(try Duration(parsing: text).wholeNanoseconds), .nanoseconds)
        case .share:
            self.init(Double(try Ratio(parsing: text).partsPerBillion), .partsPerBillion)
        case .queue:
            switch try QueueLimit(parsing: text) {
            case .packets(let count): self.init(Double(count), .packets)
            case .bytes(let count): self.init(Double(count.bytes), .bytes)
            case .time(let time): self.init(Double(time.wholeNanoseconds), .nanoseconds)
            }
        case .bytes:
            guard let count = UInt32(text) else {
                throw QuantityError("\"\(text)\" is not a number of bytes; write one such as 1280")
            }
            self.init(Double(count), .bytes)
        }
    }

    /// The value as a profile writes it.
    func text(scale: FieldScale) -> String {
        let whole = UInt64(number)
        switch unit {
        case .bitsPerSecond: return Bandwidth(bitsPerSecond: max(1, whole))?.description ?? ""
        case .nanoseconds: return Duration.nanoseconds(Int64(clamping: whole)).unitText
        case .partsPerBillion:
            return Ratio(partsPerBillion: UInt32(clamping: whole))?.description ?? ""
        case .packets: return "\(whole) packets"
        case .bytes: return scale == .bytes ? "\(whole)" : ByteCount(bytes: whole).description
        }
    }
}
