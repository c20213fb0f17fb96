/// The first place where a text breaks the rules of JSON (RFC 8259).
///
/// The decoder of FoundationEssentials says that a text is not JSON, but not where. That of full
/// Foundation does, and makes the static program 44 MB larger.
struct JSONFault: Error, Equatable {
    /// Counted from 1.
    let line: Int
    let problem: String

    /// Makes nothing of a text that follows the rules.
    init?(in bytes: [UInt8]) {
        var scanner = JSONScanner(bytes: bytes)
        do {
            try scanner.scanDocument()
            return nil
        } catch {
            self = error
        }
    }

    fileprivate init(at position: Int, of bytes: [UInt8], _ problem: String) {
        line = 1 + bytes.prefix(position).count { $0 == UInt8(ascii: "\n") }
        self.problem = problem
    }
}

/// Reads JSON for its form alone.
private struct JSONScanner {
    /// More than the decoder accepts; it is recursive as this is.
    private static let deepestNesting = 512

    let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func scanDocument() throws(JSONFault) {
        try scanValue()
        skipBlanks()
        if position < bytes.count { throw unexpected("the file should end here") }
    }

    private mutating func scanValue() throws(JSONFault) {
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"):
            try scanElements(until: "}") { scanner throws(JSONFault) in
                scanner.skipBlanks()
                guard scanner.next == UInt8(ascii: "\"") else {
                    throw scanner.unexpected("a key in quotes belongs here")
                }
                try scanner.scanString()
                scanner.skipBlanks()
                guard scanner.takes(":") else {
                    throw scanner.unexpected("a colon belongs here")
                }
                try scanner.scanValue()
            }
        case UInt8(ascii: "["):
            try scanElements(until: "]") { scanner throws(JSONFault) in try scanner.scanValue() }
        case UInt8(ascii: "\""): try scanString()
        case UInt8(ascii: "-"): try scanNumber()
        case let byte where isDigit(byte): try scanNumber()
        default:
            for word in ["true", "false", "null"] where bytes[position...].starts(with: word.utf8) {
                position += word.utf8.count
                return
            }
            throw unexpected("a value belongs here")
        }
    }

    /// Reads a bracket, elements with commas between them, and the other bracket.
    private mutating func scanElements(
        until end: Unicode.Scalar, _ scanElement: (inout JSONScanner) throws(JSONFault) -> Void
    ) throws(JSONFault) {
        depth += 1
        guard depth <= Self.deepestNesting else { throw fault("Nested too deeply") }
        position += 1
        skipBlanks()
        if !takes(end) {
            repeat {
                try scanElement(&self)
                skipBlanks()
            } while takes(",")
            guard takes(end) else { throw unexpected("a comma or \(end) belongs here") }
        }
        depth -= 1
    }

    private mutating func scanString() throws(JSONFault) {
        position += 1
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw fault("A text has to end on its line") }
            position += 1
            if byte == UInt8(ascii: "\\") { try scanEscape() }
        }
        guard takes("\"") else { throw unexpected("") }
    }

    private mutating func scanEscape() throws(JSONFault) {
        guard let byte = next else { return }
        guard "\"\\/bfnrtu".utf8.contains(byte) else {
            throw unexpected("this is no escape in a text")
        }
        position += 1
        guard byte == UInt8(ascii: "u") else { return }
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
        else { throw fault("\\u needs four hexadecimal digits") }
        position += 4
    }

    private mutating func scanNumber() throws(JSONFault) {
        _ = takes("-")
        if takes("0") {
            if isDigit(next) { throw fault("A number may not begin with 0") }
        } else {
            try scanDigits()
        }
        if takes(".") { try scanDigits() }
        if takes("e") || takes("E") {
            _ = takes("+") || takes("-")
            try scanDigits()
        }
    }

    private mutating func scanDigits() throws(JSONFault) {
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

    private func fault(_ problem: String) -> JSONFault {
        JSONFault(at: position, of: bytes, problem)
    }

    private func unexpected(_ expectation: String) -> JSONFault {
        guard position < bytes.count else { return fault("Unexpected end of file") }
        let found = String(decoding: bytes[position...].prefix(4), as: UTF8.self).first ?? "?"
        return fault("Unexpected \(found), \(expectation)")
    }
}
