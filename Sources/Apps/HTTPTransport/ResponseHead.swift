/// The status and the header fields of a response.
public struct ResponseHead: Hashable, Sendable {
    /// The version, such as `HTTP/1.1` or `HTTP/2`.
    public var version: String
    /// The status, such as 200.
    public var status: Int
    /// The header fields, as the server sent them.
    public var headers: [ExchangeRequest.Header]

    /// Describes a response.
    public init(version: String, status: Int, headers: [ExchangeRequest.Header] = []) {
        (self.version, self.status, self.headers) = (version, status, headers)
    }

    /// Whether another response follows (RFC 9110, section 15.2).
    var isInterim: Bool { status < 200 }
}

/// Collects the lines of responses. There may be several: interim ones, and one that asks who the
/// client is.
struct ResponseHeadReader {
    /// The head of the latest response, from its first line on.
    private(set) var head: ResponseHead?
    /// Whether the latest head is complete.
    private(set) var isComplete = false

    /// Reads a line with its end.
    mutating func read(_ line: String) {
        let text = line.prefix { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }
        if text.hasPrefix("HTTP/") {
            let words = text.split(separator: " ", maxSplits: 2)
            head = words.dropFirst().first.flatMap { Int($0) }.map {
                ResponseHead(version: String(words[0]), status: $0)
            }
            isComplete = false
        } else if text.isEmpty {
            isComplete = head != nil
        } else if !isComplete {
            // What follows the body is not part of the head (RFC 9110, section 6.5.1).
            add(text)
        }
    }

    private mutating func add(_ line: Substring) {
        if line.first == " " || line.first == "\t" {
            // RFC 9112, section 5.2: the line continues the one before.
            guard let last = head?.headers.indices.last else { return }
            head?.headers[last].value += " " + Self.trimmed(line)
        } else if let colon = line.firstIndex(of: ":") {
            head?.headers.append(
                ExchangeRequest.Header(
                    String(line[..<colon]), Self.trimmed(line[line.index(after: colon)...])))
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        var text = text.drop(while: isBlank)
        while text.last.map(isBlank) ?? false { text.removeLast() }
        return String(text)
    }
}
