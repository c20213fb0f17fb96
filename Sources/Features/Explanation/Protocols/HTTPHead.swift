/// The beginning of an HTTP/1 message (RFC 9112).
struct HTTPHead: Sendable, Hashable {
    /// The first line.
    var line: String
    /// How many bytes line and fields have, with the empty line after them; nil if the end was not
    /// seen.
    var length: Int?
    /// How many bytes follow it, as it says.
    private var contentLength: Int?

    /// A longer first line is of no use for people.
    private static let longestLine = 2000
    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
        "PROPFIND", "REPORT",
    ]

    /// Reads the beginning of a request's or response's bytes; nil if it is not HTTP/1.
    init?(_ bytes: [UInt8], isRequest: Bool) {
        let limit = bytes.prefix(Self.longestLine)
        guard let end = limit.firstIndex(of: 10) else { return nil }
        line = String(decoding: limit[..<end].filter { $0 != 13 }, as: UTF8.self)
        let words = line.split(separator: " ")
        if isRequest {
            guard words.count == 3, words[2].hasPrefix("HTTP/1."),
                Self.methods.contains(String(words[0]))
            else { return nil }
        } else {
            guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3,
                Int(words[1]) != nil
            else { return nil }
        }
        length = Self.end(of: bytes)
        contentLength = length.flatMap { Self.contentLength(in: bytes[end..<$0]) }
    }

    private static func end(of bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 3..<bytes.count where bytes[index] == 10 && bytes[index - 2] == 10 {
            return index + 1
        }
        return nil
    }

    private static func contentLength(in fields: ArraySlice<UInt8>) -> Int? {
        for field in fields.split(separator: 10) {
            let parts = field.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2,
                String(decoding: parts[0], as: UTF8.self).lowercased() == "content-length"
            else { continue }
            let value = parts[1].filter { ![9, 13, 32].contains($0) }
            return Int(String(decoding: value, as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
        }
        return nil
    }

    /// How many bytes the whole message has, if it says so.
    var messageLength: Int? {
        guard let length, let contentLength else { return nil }
        let (sum, isTooLong) = length.addingReportingOverflow(contentLength)
        return isTooLong ? nil : sum
    }

    /// The method and the target of a request.
    var request: (method: String, target: String) {
        let words = line.split(separator: " ")
        return (String(words[0]), String(words[1]))
    }

    /// The status of a response.
    var status: Int { line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }

    /// Whether a response announces another one to the same request (RFC 9110, section 15.2), such
    /// as 100 Continue and 103 Early Hints. After 101 another protocol follows.
    var isInterim: Bool { (100..<200).contains(status) && status != 101 }
}
