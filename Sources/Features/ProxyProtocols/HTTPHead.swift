/// The head of an HTTP/1 message: its first line and its fields (RFC 9112).
public struct HTTPHead: Sendable, Hashable {
    /// A field: its name as it was written, and its value without blanks around it.
    public struct Field: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String
    }

    /// The first line.
    public var line: String
    /// The fields in their order.
    public var fields: [Field]

    /// How a head was looked for.
    public enum Reading: Sendable, Hashable {
        /// Its end has not arrived.
        case incomplete
        /// It is longer than `longest`, or no head.
        case invalid
        /// It takes so many bytes.
        case head(HTTPHead, length: Int)
    }

    /// The longest head, in bytes.
    public static let longest = 64 << 10

    /// Reads the head at the beginning of `bytes`.
    public static func read(_ bytes: [UInt8]) -> Reading {
        let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        var lines: [String] = []
        var start = 0
        // A server should ignore empty lines before a request (RFC 9112, section 2.2).
        while start < bytes.count, bytes[start] == carriageReturn || bytes[start] == lineFeed {
            start += 1
        }
        var position = start
        while position < bytes.count {
            guard position <= longest else { return .invalid }
            guard bytes[position] == lineFeed else {
                position += 1
                continue
            }
            let end =
                position > start && bytes[position - 1] == carriageReturn ? position - 1 : position
            let line = bytes[start..<end]
            guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
                return .invalid
            }
            (start, position) = (position + 1, position + 1)
            guard line.isEmpty else {
                // Bytes beyond ASCII are those of old programs: kept by their number (ISO 8859-1).
                lines.append(String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) })))
                continue
            }
            guard let head = HTTPHead(lines: lines) else { return .invalid }
            return .head(head, length: position)
        }
        return position >= longest ? .invalid : .incomplete
    }

    private init?(lines: [String]) {
        guard let first = lines.first else { return nil }
        line = first
        fields = []
        for line in lines.dropFirst() {
            // Folded lines are obsolete and a way to smuggle requests (RFC 9112, section 5.2).
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
            let name = line[..<colon]
            guard name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
            fields.append(
                Field(name: String(name), value: Self.trimmed(line[line.index(after: colon)...])))
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return String(text)
    }

    /// The words of all fields of a name, which are lists separated by commas, in lower case.
    public func words(of name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }
            .flatMap { $0.value.split(separator: ",") }
            .map { Self.trimmed($0).lowercased() }
            .filter { !$0.isEmpty }
    }

    /// The fields that are of one connection and not of the message (RFC 9110, section 7.6.1).
    private static let ofConnection: Set<String> = [
        "connection", "proxy-connection", "keep-alive", "te", "upgrade", "proxy-authenticate",
        "proxy-authorization",
    ]

    /// The fields that tell where a message ends and whom it is for.
    private static let ofMessage: Set<String> = ["content-length", "transfer-encoding", "host"]

    /// Removes the fields that a proxy does not pass on.
    public mutating func removeConnectionFields() {
        // Without its length the message's body would be taken for another message.
        let named = Set(words(of: "connection")).subtracting(Self.ofMessage)
        fields.removeAll {
            let name = $0.name.lowercased()
            return Self.ofConnection.contains(name) || named.contains(name)
        }
    }

    /// The message's bytes.
    public var bytes: [UInt8] {
        let text = ([line] + fields.map { "\($0.name): \($0.value)" }).joined(separator: "\r\n")
        return (text + "\r\n\r\n").unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    /// Whether the connection stays open after the message, as far as this end is concerned.
    ///
    /// - Parameter isOld: Whether it is of HTTP/1.0, which closes unless told otherwise.
    func keepsAlive(isOld: Bool) -> Bool {
        let words = words(of: "connection") + self.words(of: "proxy-connection")
        return words.contains("close") ? false : !isOld || words.contains("keep-alive")
    }
}

/// A request to an HTTP proxy.
public struct HTTPProxyRequest: Sendable, Hashable {
    /// What a request asks for.
    public enum Kind: Sendable, Hashable {
        /// A connection to the target, through which anything passes.
        case connect
        /// That this request is passed on.
        case pass(HTTPHead, HTTPBody)
    }

    /// What it asks for.
    public let kind: Kind
    /// Where it goes.
    public let target: TargetAddress
    /// The method.
    public let method: String
    /// Whether the client keeps its connection open.
    public let keepsAlive: Bool

    /// Reads a head; throws what to answer.
    public init(_ head: HTTPHead) throws(HTTPProxyAnswer) {
        let words = head.line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, ["HTTP/1.0", "HTTP/1.1"].contains(words[2])
        else {
            throw HTTPProxyAnswer(400, "this is no request of HTTP/1: \(head.line.prefix(80))")
        }
        method = String(words[0])
        let isOld = words[2] == "HTTP/1.0"
        keepsAlive = head.keepsAlive(isOld: isOld)
        if method == "CONNECT" {
            do {
                target = try TargetAddress(String(words[1]))
            } catch {
                throw HTTPProxyAnswer(400, "CONNECT \(error)")
            }
            guard case .local = target else {
                kind = .connect
                return
            }
            throw HTTPProxyAnswer(400, "CONNECT leads to a host and port")
        }
        let (authority, path) = try Self.parts(of: String(words[1]))
        do {
            let text = authority.hasSuffix("]") || !authority.contains(":")
            target = try TargetAddress(text ? "\(authority):80" : authority)
        } catch {
            throw HTTPProxyAnswer(400, "\(error)")
        }
        guard let body = HTTPBody(ofRequest: head) else {
            throw HTTPProxyAnswer(400, "the length of the request's body cannot be told")
        }
        var passed = head
        passed.removeConnectionFields()
        // A client of HTTP/1.0 can read no chunks, so that the server has to know.
        passed.line = "\(method) \(path) \(words[2])"
        // The target's name in the URL counts (RFC 9112, section 3.2.2).
        passed.fields.removeAll { $0.name.lowercased() == "host" }
        passed.fields.insert(HTTPHead.Field(name: "Host", value: authority), at: 0)
        passed.fields.append(HTTPHead.Field(name: "Via", value: "1.1 linkcond"))
        passed.fields.append(HTTPHead.Field(name: "Connection", value: "keep-alive"))
        kind = .pass(passed, body)
    }

    /// The authority of a URL without user and password, and its path with the query.
    private static func parts(
        of target: String
    ) throws(HTTPProxyAnswer) -> (authority: String, path: String) {
        let scheme = "http://"
        guard target.lowercased().hasPrefix(scheme) else {
            throw HTTPProxyAnswer(
                400,
                "this is a proxy: it takes CONNECT, and requests for whole URLs of http://, not "
                    + "\(target.prefix(80))")
        }
        let rest = target.dropFirst(scheme.count)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        var authority = rest[..<end]
        if let at = authority.lastIndex(of: "@") {
            authority = authority[authority.index(after: at)...]
        }
        let path = rest[end...].prefix { $0 != "#" }
        return (String(authority), path.hasPrefix("/") ? String(path) : "/\(path)")
    }
}

/// The head of a server's response.
public struct HTTPResponse: Sendable, Hashable {
    /// The status code.
    public let status: Int
    /// The head as the client gets it.
    public let passed: HTTPHead
    /// What follows it.
    public let body: HTTPBody
    /// Whether the server keeps its connection open.
    public let keepsAlive: Bool

    /// Whether another response to the same request follows.
    public var isInterim: Bool { (100..<200).contains(status) && status != 101 }

    /// Reads a head; nil for one that makes no sense.
    ///
    /// - Parameters:
    ///   - method: The request's.
    ///   - clientKeepsAlive: Whether the client wants to go on.
    public init?(_ head: HTTPHead, to method: String, clientKeepsAlive: Bool) {
        let words = head.line.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3,
            let status = Int(words[1]), (100..<1000).contains(status)
        else { return nil }
        self.status = status
        let isInterim = (100..<200).contains(status)
        guard let body = HTTPBody(ofResponse: head, status: status, to: method) else { return nil }
        self.body = body
        keepsAlive = head.keepsAlive(isOld: words[0] == "HTTP/1.0") && body != .untilEnd
        var passed = head
        passed.removeConnectionFields()
        if !isInterim {
            let word = clientKeepsAlive && keepsAlive ? "keep-alive" : "close"
            passed.fields.append(HTTPHead.Field(name: "Connection", value: word))
            passed.fields.append(HTTPHead.Field(name: "Via", value: "1.1 linkcond"))
        }
        self.passed = passed
    }
}

/// An answer of the proxy's own.
public struct HTTPProxyAnswer: Error, Sendable, Hashable {
    /// The status code.
    public let status: Int
    /// The cause, for people.
    public let cause: String

    private static let reasons = [
        200: "Connection established", 400: "Bad Request", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout",
    ]

    /// Gives a status and a cause.
    public init(_ status: Int, _ cause: String) { (self.status, self.cause) = (status, cause) }

    /// The answer to CONNECT after which the target speaks.
    public static let connected = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)

    /// The answer, after which the connection is closed.
    public var bytes: [UInt8] {
        let text = "linkcond proxy: \(cause)\n"
        return Array(
            """
            HTTP/1.1 \(status) \(Self.reasons[status] ?? "Error")\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(text.utf8.count)\r
            Connection: close\r
            \r
            \(text)
            """.utf8)
    }
}
