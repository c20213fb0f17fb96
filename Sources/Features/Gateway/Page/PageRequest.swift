/// A request of a browser, as far as the page needs it.
struct PageRequest: Sendable, Hashable {
    /// How far the bytes of a connection go.
    enum Reading: Sendable, Hashable {
        /// More must come.
        case incomplete
        case complete(PageRequest)
        /// What came is no acceptable request; the status of the response.
        case unacceptable(PageResponse.Status)
    }

    var method: String
    /// The path, without a query.
    var path: String
    /// The headers, by names in lower case.
    var headers: [String: String] = [:]
    var body = ""

    /// Enough for the cookies and the like that browsers send.
    static let longestHead = 8192
    /// Enough for every form of the page.
    static let longestBody = 1024

    /// Reads the bytes that have come so far (RFC 9112). Bodies must have a length.
    static func reading(_ bytes: [UInt8]) -> Reading {
        guard let end = end(ofHead: bytes) else {
            return bytes.count > longestHead ? .unacceptable(.tooLarge) : .incomplete
        }
        guard end.head <= longestHead else { return .unacceptable(.tooLarge) }
        // By bytes: as a character, CR and LF are one.
        let lines = bytes.prefix(end.head)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { line in
                String(
                    decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line,
                    as: UTF8.self)
            }
        let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/") else {
            return .unacceptable(.badRequest)
        }
        var request = PageRequest(
            method: String(words[0]), path: String(words[1].prefix { $0 != "?" }))
        for line in lines.dropFirst() where !line.isEmpty {
            guard let colon = line.firstIndex(of: ":"), line.first?.isWhitespace == false else {
                return .unacceptable(.badRequest)
            }
            let name = line[..<colon].lowercased()
            // Two hosts or lengths are a way to confuse (RFC 9112, sections 3.2 and 6.3).
            guard request.headers[name] == nil || !["host", "content-length"].contains(name) else {
                return .unacceptable(.badRequest)
            }
            request.headers[name] = trimmed(line[line.index(after: colon)...])
        }
        guard request.headers["transfer-encoding"] == nil else {
            return .unacceptable(.badRequest)
        }
        return request.reading(body: Array(bytes.dropFirst(end.body)))
    }

    private func reading(body bytes: [UInt8]) -> Reading {
        guard let text = headers["content-length"] else { return .complete(self) }
        guard let length = Int(text), length >= 0, text.utf8.allSatisfy({ 48...57 ~= $0 }) else {
            return .unacceptable(.badRequest)
        }
        guard length <= Self.longestBody else { return .unacceptable(.tooLarge) }
        guard bytes.count >= length else { return .incomplete }
        var request = self
        request.body = String(decoding: bytes.prefix(length), as: UTF8.self)
        return .complete(request)
    }

    /// Where the empty line begins, and where it ends.
    private static func end(ofHead bytes: [UInt8]) -> (head: Int, body: Int)? {
        var lineStart = 0
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") {
            let line = bytes[lineStart..<index]
            if index > 0, line.isEmpty || Array(line) == [UInt8(ascii: "\r")] {
                return (max(0, lineStart - 1), index + 1)
            }
            lineStart = index + 1
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    /// The fields of a form (`application/x-www-form-urlencoded`).
    var form: [String: String] {
        var fields: [String: String] = [:]
        for pair in body.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            fields[Self.decoded(parts[0])] = Self.decoded(parts[1])
        }
        return fields
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else {
                    bytes.append(byte)
                    continue
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
