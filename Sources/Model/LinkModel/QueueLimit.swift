public import LinkUnits

/// The size of the buffer in front of the bottleneck.
public enum QueueLimit: Sendable, Hashable, Codable, CustomStringConvertible {
    case packets(Int)
    case bytes(ByteCount)
    case time(Duration)

    /// Reads `50 packets`, `64 KiB` or `200 ms`.
    public init(parsing text: String) throws(QuantityError) {
        guard text.first != "-" else {
            throw QuantityError("\"\(text)\" is negative; a queue cannot be")
        }
        let unit = text.drop { $0.isNumber || $0 == "." || $0 == " " }
        if unit == "packets" || unit == "packet" {
            let number = text.dropLast(unit.count).split(separator: " ")
            guard number.count == 1, let count = Int(number[0]) else {
                throw QuantityError("\"\(text)\" is not a whole number of packets")
            }
            self = .packets(count)
        } else if unit.last == "B" || unit.last == "b" {
            self = .bytes(try ByteCount(parsing: text))
        } else if unit.isEmpty, !text.isEmpty {
            throw QuantityError(
                "\"\(text)\" has no unit; write \"\(text) packets\", \"\(text) KiB\" or \"\(text) ms\""
            )
        } else {
            do {
                self = .time(try Duration(parsing: text))
            } catch {
                throw QuantityError(
                    "\"\(text)\" is not a queue length; write \"50 packets\", \"64 KiB\" or "
                        + "\"200 ms\"")
            }
        }
    }

    /// The limit as a profile writes it.
    public var description: String {
        switch self {
        case .packets(let count): "\(count) packets"
        case .bytes(let count): "\(count)"
        case .time(let duration): duration.unitText
        }
    }
}
