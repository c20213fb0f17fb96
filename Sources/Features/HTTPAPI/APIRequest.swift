/// A request to the API.
public struct APIRequest: Sendable, Hashable {
    /// The method in capitals.
    public var method: String
    /// The path and query as sent.
    public var target: String
    /// The header fields, names in lower case.
    public var headers: [String: String]
    /// The body.
    public var body: [UInt8]

    /// Describes a request.
    public init(
        _ method: String, _ target: String, headers: [String: String] = [:], body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// The segments of the path, without percent encoding; nil if that is broken.
    package var path: [String]? {
        let path = target.prefix { $0 != "?" }
        var segments: [String] = []
        for segment in path.split(separator: "/") {
            guard let decoded = Self.decode(segment) else { return nil }
            segments.append(decoded)
        }
        return segments
    }

    /// The value of a parameter of the query.
    package func parameter(_ name: String) -> String? {
        guard let start = target.firstIndex(of: "?") else { return nil }
        for pair in target[target.index(after: start)...].split(separator: "&") {
            let halves = pair.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if halves.first.flatMap({ Self.decode($0) }) == name {
                return halves.count == 2 ? Self.decode(halves[1]) : ""
            }
        }
        return nil
    }

    private static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let decoded = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
