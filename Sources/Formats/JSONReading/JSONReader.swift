/// Where and how a text breaks the rules of JSON.
public struct JSONSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What stands where something else belongs.
    public enum Found: Sendable, Equatable {
        case character(Character)
        /// Nothing: the text is over.
        case end
    }

    /// Counted from 1.
    public let line: Int
    /// The byte within the line, counted from 1.
    public let column: Int
    /// What is wrong.
    public let problem: String
    /// What stands there; nil if the problem is another.
    public let found: Found?

    /// `line 1, column 9: a value belongs here`
    public var description: String { "line \(line), column \(column): \(problem)" }
}

extension JSONValue {
    /// Reads a whole text.
    ///
    /// - Parameters:
    ///   - deepestNesting: How many lists and objects may be in one another; they are read recursively.
    ///   - allowsRepeatedKeys: Whether an object may have members of the same key.
    public init(
        parsing bytes: [UInt8], deepestNesting: Int = 64, allowsRepeatedKeys: Bool = false
    ) throws(JSONSyntaxError) {
        var reader = JSONReader(
            bytes: bytes, deepestNesting: deepestNesting, allowsRepeatedKeys: allowsRepeatedKeys)
        self = try reader.readDocument()
    }
}

/// Reads JSON (RFC 8259), and knows where it is.
///
/// The decoder of FoundationEssentials says that a text is not JSON, but not where. That of full
/// Foundation does, and makes a static program 44 MB larger.
private struct JSONReader {
    let bytes: [UInt8]
    let deepestNesting: Int
    let allowsRepeatedKeys: Bool
    private var position = 0
    private var depth = 0

    init(bytes: [UInt8], deepestNesting: Int, allowsRepeatedKeys: Bool) {
        self.bytes = bytes
        self.deepestNesting = deepestNesting
        self.allowsRepeatedKeys = allowsRepeatedKeys
    }

    mutating func readDocument() throws(JSONSyntaxError) -> JSONValue {
        let value = try readValue()
        skipBlanks()
        guard position == bytes.count else { throw unexpected("the text should end here") }
        return value
    }

    private mutating func readValue() throws(JSONSyntaxError) -> JSONValue {
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): return .object(try readMembers())
        case UInt8(ascii: "["):
            var values: [JSONValue] = []
            try readElements(until: "]") { reader throws(JSONSyntaxError) in
                values.append(try reader.readValue())
            }
            return .array(values)
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "-"): return try readNumber()
        case let byte where isDigit(byte): return try readNumber()
        case nil: throw unexpected("the text ends where a value belongs")
        default:
            let words: [(String, JSONValue)] = [
                ("true", .bool(true)), ("false", .bool(false)), ("null", .null),
            ]
            for (word, value) in words where bytes[position...].starts(with: word.utf8) {
                position += word.utf8.count
                return value
            }
            throw unexpected("a value belongs here")
        }
    }

    private mutating func readMembers() throws(JSONSyntaxError) -> [JSONMember] {
        var members: [JSONMember] = []
        var keys: Set<String> = []
        try readElements(until: "}") { reader throws(JSONSyntaxError) in
            reader.skipBlanks()
            guard reader.next == UInt8(ascii: "\"") else {
                throw reader.unexpected("a key in quotes belongs here")
            }
            let start = reader
            let key = try reader.readString()
            guard keys.insert(key).inserted || reader.allowsRepeatedKeys else {
                throw start.fault("the key \"\(key)\" is here a second time")
            }
            reader.skipBlanks()
            guard reader.takes(":") else { throw reader.unexpected("a colon belongs here") }
            members.append(JSONMember(key: key, value: try reader.readValue()))
        }
        return members
    }

    /// Reads a bracket, elements with commas between them, and the other bracket.
    private mutating func readElements(
        until end: Unicode.Scalar,
        _ readElement: (inout JSONReader) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        depth += 1
        guard depth <= deepestNesting else {
            throw fault("nested deeper than \(deepestNesting) levels")
        }
        position += 1
        skipBlanks()
        if !takes(end) {
            repeat {
                try readElement(&self)
                skipBlanks()
            } while takes(",")
            guard takes(end) else { throw unexpected("a comma or \(end) belongs here") }
        }
        depth -= 1
    }

    private mutating func readString() throws(JSONSyntaxError) -> String {
        position += 1
        var content: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw fault("a text has to end on its line") }
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                continue
            }
            content += Array("\(try readEscape())".utf8)
        }
        guard takes("\"") else { throw unexpected("the text ends within quotes") }
        guard let text = String(validating: content, as: UTF8.self) else {
            throw fault("the text before this is not UTF-8")
        }
        return text
    }

    private mutating func readEscape() throws(JSONSyntaxError) -> Unicode.Scalar {
        guard let byte = next else { throw unexpected("the text ends within quotes") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default:
            position -= 1
            throw unexpected("this is no escape in a text")
        }
        var unit = try readCodeUnit()
        // The first half of a surrogate pair; a lone one stands for no character.
        if 0xD800...0xDBFF ~= unit, takes("\\"), takes("u") {
            let second = try readCodeUnit()
            guard 0xDC00...0xDFFF ~= second else { return "\u{FFFD}" }
            unit = 0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00)
        }
        return Unicode.Scalar(unit) ?? "\u{FFFD}"
    }

    private mutating func readCodeUnit() throws(JSONSyntaxError) -> UInt32 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw fault("\\u needs four hexadecimal digits") }
        position += 4
        return unit
    }

    private mutating func readNumber() throws(JSONSyntaxError) -> JSONValue {
        let start = position
        _ = takes("-")
        if takes("0") {
            if isDigit(next) { throw fault("a number may not begin with 0") }
        } else {
            try readDigits()
        }
        if takes(".") { try readDigits() }
        if takes("e") || takes("E") {
            _ = takes("+") || takes("-")
            try readDigits()
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func readDigits() throws(JSONSyntaxError) {
        guard isDigit(next) else { throw unexpected("a digit belongs here") }
        while isDigit(next) { position += 1 }
    }

    // MARK: Bytes

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func isDigit(_ byte: UInt8?) -> Bool {
        byte.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }

    private mutating func skipBlanks() {
        while let byte = next, " \t\r\n".utf8.contains(byte) { position += 1 }
    }

    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        guard let byte = next, UInt32(byte) == character.value else { return false }
        position += 1
        return true
    }

    /// Something else stands here, or nothing.
    private func unexpected(_ problem: String) -> JSONSyntaxError {
        guard position < bytes.count else { return fault(problem, found: .end) }
        let text = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
        return fault(problem, found: .character(text.first ?? "?"))
    }

    private func fault(
        _ problem: String, found: JSONSyntaxError.Found? = nil
    ) -> JSONSyntaxError {
        let before = bytes.prefix(position)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return JSONSyntaxError(
            line: 1 + before.count { $0 == UInt8(ascii: "\n") },
            column: 1 + position - lineStart, problem: problem, found: found)
    }
}
