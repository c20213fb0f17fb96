/// How bytes are to be read.
public indirect enum ByteLayout: Sendable {
    /// A number of as many bytes as there are.
    case number
    /// A number in the order of the network.
    case networkNumber
    /// A text with a zero at its end.
    case text
    /// Bytes with no further meaning.
    case bytes
    /// A long table, of which only the ends are shown.
    case table
    /// A C structure: names and sizes of its fields, and what may follow it.
    case fields([Field], then: ByteLayout? = nil)
    /// The same structure again and again.
    case repeated([Field])
    /// Attributes by their types.
    case nest([Int: Attribute])
    /// Attributes whose own types do not matter, such as an array's.
    case array(ByteLayout)
    /// What belongs to the kind that stands in an attribute before.
    case ofKind([String: ByteLayout])

    /// Whether it takes more lines than one.
    fileprivate var isNested: Bool {
        switch self {
        case .number, .networkNumber, .text, .bytes, .table: false
        case .fields, .repeated, .nest, .array, .ofKind: true
        }
    }

    /// A field of a structure.
    public struct Field: Sendable {
        let name: String
        let size: Int
        let isNetworkOrder: Bool

        /// A field of `size` bytes.
        public init(_ name: String, _ size: Int, isNetworkOrder: Bool = false) {
            self.name = name
            self.size = size
            self.isNetworkOrder = isNetworkOrder
        }
    }

    /// An attribute's name and content.
    public struct Attribute: Sendable {
        let name: String
        let layout: ByteLayout

        /// An attribute called `name` in the kernel's headers.
        public init(_ name: String, _ layout: ByteLayout) {
            self.name = name
            self.layout = layout
        }
    }
}

/// A netlink message in a form that people read and goldens keep: each field and each attribute
/// on a line of its own with its name, its bytes and what they mean.
public struct AnnotatedMessage: CustomStringConvertible {
    /// The text.
    public private(set) var description = ""
    private var kind = ""
    /// What the next line has before its bytes and behind them.
    private var header = ""
    private var padding = ""

    /// Writes `bytes` down; `layouts` are names and contents of message types.
    public init(_ bytes: [UInt8], _ layouts: [Int: ByteLayout.Attribute] = MessageLayouts.all) {
        let type = Int(bytes.read(at: 4, as: UInt16.self))
        let layout = layouts[type] ?? ByteLayout.Attribute("type \(type)", .bytes)
        line("", layout.name, bytes.prefix(4), "\(bytes.read(at: 0, as: UInt32.self)) bytes")
        line("  ", "type", bytes[4..<6], "\(type)")
        line("  ", "flags", bytes[6..<8], Self.flags(bytes.read(at: 6, as: UInt16.self), type))
        line("  ", "sequence", bytes[8..<12], "")
        line("  ", "port", bytes[12..<16], "")
        write(bytes[16...], layout.layout, "  ", name: "payload")
    }

    private mutating func write(
        _ bytes: ArraySlice<UInt8>, _ layout: ByteLayout, _ indent: String, name: String
    ) {
        switch layout {
        case .number:
            line(indent, name, bytes, Self.number(bytes.reversed()))
        case .networkNumber:
            line(indent, name, bytes, Self.number(Array(bytes)))
        case .text:
            let text = String(decoding: bytes.dropLast(), as: UTF8.self)
            line(indent, name, bytes, "\"\(text)\"")
            if name.hasSuffix("_KIND") { kind = text }
        case .bytes:
            line(indent, name, bytes, "")
        case .table:
            line(
                indent, name, bytes.prefix(8) + bytes.suffix(8),
                "first and last of \(bytes.count) bytes, sum \(bytes.reduce(0) { $0 + Int($1) })")
        case .fields(let fields, let rest):
            var remaining = bytes
            for field in fields {
                let part = remaining.prefix(field.size)
                write(
                    part, field.isNetworkOrder ? .networkNumber : .number, indent, name: field.name)
                remaining = remaining.dropFirst(field.size)
            }
            if let rest {
                write(remaining, rest, indent, name: "rest")
            } else if !remaining.isEmpty {
                line(indent, "superfluous", remaining, "")
            }
        case .repeated(let fields):
            let size = fields.reduce(0) { $0 + $1.size }
            var remaining = bytes
            while !remaining.isEmpty {
                write(remaining.prefix(size), .fields(fields), indent, name: name)
                remaining = remaining.dropFirst(size)
            }
        case .nest(let attributes):
            writeAttributes(bytes, indent) { attributes[$0] }
        case .array(let layout):
            writeAttributes(bytes, indent) { ByteLayout.Attribute("[\($0)]", layout) }
        case .ofKind(let layouts):
            write(bytes, layouts[kind] ?? .bytes, indent, name: name)
        }
    }

    private mutating func writeAttributes(
        _ bytes: ArraySlice<UInt8>, _ indent: String,
        _ known: (Int) -> ByteLayout.Attribute?
    ) {
        var rest = bytes
        while !rest.isEmpty {
            let length = Int(Array(rest.prefix(2)).read(at: 0, as: UInt16.self))
            let type = Int(Array(rest.prefix(4)).read(at: 2, as: UInt16.self))
            guard length >= 4, length <= rest.count else {
                line(indent, "damaged", rest, "")
                return
            }
            // The upper bits are flags: a nest, the order of the network.
            let attribute =
                known(type & 0x3fff) ?? ByteLayout.Attribute("attribute \(type)", .bytes)
            let content = rest.prefix(length).dropFirst(4)
            header = Self.hex(rest.prefix(4)) + " | "
            padding = Self.hex(rest.dropFirst(length).prefix(-length & 3))
            if attribute.layout.isNested {
                line(
                    indent, attribute.name, [],
                    "\(length) bytes, type \(type & 0x3fff)"
                        + (type & 0x8000 == 0 ? "" : ", a nest"))
                write(content, attribute.layout, indent + "  ", name: attribute.name)
            } else {
                write(content, attribute.layout, indent, name: attribute.name)
            }
            rest = rest.dropFirst((length + 3) & ~3)
        }
    }

    private mutating func line(
        _ indent: String, _ name: String, _ bytes: some Collection<UInt8>, _ meaning: String
    ) {
        let content = header + Self.hex(bytes) + (padding.isEmpty ? "" : " | " + padding)
        (header, padding) = ("", "")
        let start = (indent + name).padding(to: 30) + " "
        let text = start + (meaning.isEmpty ? content : content.padding(to: 28) + "  " + meaning)
        description += String(text.reversed().drop { $0 == " " }.reversed()) + "\n"
    }

    private static func hex(_ bytes: some Collection<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    private static func number(_ bigEndian: [UInt8]) -> String {
        let value = bigEndian.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value < 10 ? "\(value)" : "\(value) = 0x\(String(value, radix: 16))"
    }

    /// The flags by name. The upper byte means other things in requests that get than in those
    /// that make.
    private static func flags(_ value: UInt16, _ type: Int) -> String {
        let isGet = type & 3 == 2
        let names: [(UInt16, String)] =
            [(0x1, "REQUEST"), (0x2, "MULTI"), (0x4, "ACK")]
            + (isGet
                ? [(0x100, "ROOT"), (0x200, "MATCH")]
                : [(0x100, "REPLACE"), (0x200, "EXCL"), (0x400, "CREATE"), (0x800, "APPEND")])
        return names.filter { value & $0.0 != 0 }.map(\.1).joined(separator: " | ")
    }
}

extension String {
    fileprivate func padding(to length: Int) -> String {
        self + String(repeating: " ", count: max(0, length - count))
    }
}
