import FoundationEssentials
import LinkModel

/// What distinguishes two specifications, in the words of `report.json`.
struct MatrixDifference: CustomStringConvertible {
    private var lines: [String] = []
    private let names: (String, String)

    private static let shown = 5
    private static let longest = 100

    /// Compares two specifications; the names of their reports are for the text.
    init(_ first: (String, MatrixSpecification), _ second: (String, MatrixSpecification)) {
        names = (first.0, second.0)
        guard let one = JSONValue(first.1), let other = JSONValue(second.1) else { return }
        compare(one, other, at: "")
    }

    /// `seed is 5 in report 1 and 7 in report 2; ...`
    var description: String {
        guard !lines.isEmpty else {
            return "\(names.0) and \(names.1) were written by different versions of linkcond"
        }
        let rest = lines.count > Self.shown ? "; and \(lines.count - Self.shown) more" : ""
        return lines.prefix(Self.shown).joined(separator: "; ") + rest
    }

    private mutating func compare(_ one: JSONValue?, _ other: JSONValue?, at path: String) {
        guard one != other else { return }
        if case .object(let fields) = one, case .object(let others) = other {
            for key in Set(fields.keys).union(others.keys).sorted() {
                compare(fields[key], others[key], at: path.isEmpty ? key : "\(path).\(key)")
            }
        } else if path.hasPrefix("environment.") {
            // It may be a password.
            lines.append("\(path.printable) differs")
        } else {
            lines.append(
                "\(path.printable) is \(Self.text(one)) in \(names.0) and \(Self.text(other)) in "
                    + names.1)
        }
    }

    private static func text(_ value: JSONValue?) -> String {
        let text = value?.description.printable ?? "not set"
        return text.count > longest ? text.prefix(longest) + "..." : text
    }
}

/// A JSON value of unknown shape.
private enum JSONValue: Decodable, Hashable, CustomStringConvertible {
    case object([String: JSONValue])
    case array([JSONValue])
    case text(String)
    /// A number, `true`, `false` or `null`.
    case word(String)

    /// What `value` is in JSON.
    init?(_ value: some Encodable) {
        guard let json = try? JSONEncoder().encode(value),
            let decoded = try? JSONDecoder().decode(JSONValue.self, from: json)
        else { return nil }
        self = decoded
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let fields = try? container.decode([String: JSONValue].self) {
            self = .object(fields)
        } else if let elements = try? container.decode([JSONValue].self) {
            self = .array(elements)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let flag = try? container.decode(Bool.self) {
            self = .word("\(flag)")
        } else if let number = try? container.decode(UInt64.self) {
            self = .word("\(number)")
        } else {
            self = .word(container.decodeNil() ? "null" : "\(try container.decode(Double.self))")
        }
    }

    var description: String {
        switch self {
        case .object(let fields):
            let list = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            return "{\(list.joined(separator: ", "))}"
        case .array(let elements):
            return "[\(elements.map(\.description).joined(separator: ", "))]"
        case .text(let text): return text
        case .word(let word): return word
        }
    }
}
