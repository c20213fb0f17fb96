/// Who may use the API.
///
/// Programs of this host need no token, but a web page in a browser of this host is none of them: a
/// page's request says where the page comes from (`Origin`), or under which name it found this
/// address (`Host`), which a page that has its own name resolved to the loopback address cannot
/// hide. From elsewhere, a token is needed.
public struct AccessPolicy: Sendable {
    /// The shortest token: 16 characters cannot be guessed.
    public static let shortestToken = 16

    private let token: [UInt8]?
    private let checksNames: Bool
    /// Whether only this user's programs pass, and those that know the token.
    package let knowsClients: Bool

    /// Makes the policy of an address; throws what is wrong with the token.
    public init(address: APIAddress, token: String?) throws(TokenProblem) {
        if let token, token.utf8.count < Self.shortestToken {
            throw TokenProblem(
                description: "the token has \(token.utf8.count) characters; give at least "
                    + "\(Self.shortestToken), such as from: openssl rand -hex 16")
        }
        guard address.isLocal || token != nil else {
            throw TokenProblem(
                description:
                    "\(address) is reachable from other hosts, so that the API needs a token; "
                    + "set LINKCOND_API_TOKEN, such as to the output of: openssl rand -hex 16")
        }
        self.token = token.map { Array($0.utf8) }
        let isPath = if case .unix = address { true } else { false }
        checksNames = !isPath && address.isLocal
        knowsClients = isPath || token != nil
    }

    /// Why the request is refused; nil if it may pass.
    package func refusal(of request: APIRequest) -> APIError? {
        if checksNames, let refusal = refusalOfNames(request) { return refusal }
        guard let token else { return nil }
        guard let given = Self.token(in: request.headers["authorization"]) else {
            return APIError(
                401, "this API needs a token; send the header Authorization: Bearer TOKEN")
        }
        guard Self.isEqual(given, token) else { return APIError(401, "the token is wrong") }
        return nil
    }

    private func refusalOfNames(_ request: APIRequest) -> APIError? {
        let host = request.headers["host"]
        if let host, !APIAddress.isLoopback(APIAddress.hostName(in: host)) {
            return APIError(
                403,
                "the request was sent to \(host), which is not a name of this host's loopback "
                    + "interface; use 127.0.0.1 or localhost")
        }
        if let origin = request.headers["origin"], origin != "http://\(host ?? "")" {
            return APIError(403, "a page of \(origin) may not use this API")
        }
        return nil
    }

    /// The token of `Bearer TOKEN`, or the password of `Basic`, which clients take from a URL.
    private static func token(in authorization: String?) -> [UInt8]? {
        guard let words = authorization?.split(separator: " ", maxSplits: 1), words.count == 2
        else {
            return nil
        }
        switch words[0].lowercased() {
        case "bearer": return Array(words[1].utf8)
        case "basic":
            let pair = Base64.decode(words[1])
            return pair?.firstIndex(of: UInt8(ascii: ":")).map { Array(pair?[($0 + 1)...] ?? []) }
        default: return nil
        }
    }

    /// Takes as long for a wrong token as for another, so that the time does not tell how much of it
    /// is right.
    private static func isEqual(_ given: [UInt8], _ token: [UInt8]) -> Bool {
        var difference = given.count ^ token.count
        for index in token.indices {
            difference |= Int(token[index] ^ (index < given.count ? given[index] : 0))
        }
        return difference == 0
    }
}

/// What is wrong with a token.
public struct TokenProblem: Error, Sendable, CustomStringConvertible {
    /// One sentence with the remedy.
    public let description: String

    package init(description: String) { self.description = description }
}

/// RFC 4648, section 4.
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The bytes; nil if the text is none of base 64.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for character in text.utf8 where character != UInt8(ascii: "=") {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = (bits << 6 | UInt32(value)) & 0xFFFF
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }
}
