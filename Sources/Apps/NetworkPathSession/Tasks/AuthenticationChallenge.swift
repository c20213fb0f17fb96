import Foundation
import FoundationNetworking

/// A challenge of a server (RFC 9110, section 11.6.1).
struct AuthenticationChallenge: Hashable, Sendable {
    /// The scheme in lower case, such as `basic`.
    var scheme: String
    /// The parameters; their names are in lower case.
    var parameters: [String: String] = [:]

    /// Reads the challenges of a `WWW-Authenticate` field.
    static func read(_ field: String) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        for part in parts(of: field) {
            let words = part.split(separator: "=", maxSplits: 1).map(trimmed)
            let names = words.first?.split(separator: " ") ?? []
            // A scheme stands before the first of its parameters.
            if names.count == 2 || words.count == 1, let scheme = names.first {
                challenges.append(AuthenticationChallenge(scheme: scheme.lowercased()))
            }
            guard words.count == 2, let name = names.last, !challenges.isEmpty else { continue }
            challenges[challenges.count - 1].parameters[name.lowercased()] = unquoted(words[1])
        }
        return challenges
    }

    /// The challenge to answer: Digest, which does not show the password, before Basic.
    static func preferred(in field: String) -> AuthenticationChallenge? {
        let challenges = read(field)
        return challenges.first { $0.scheme == "digest" }
            ?? challenges.first { $0.scheme == "basic" }
    }

    /// Splits at commas that are not in quotes.
    private static func parts(of field: String) -> [Substring] {
        var (parts, start, isQuoted, isEscaped) = ([Substring](), field.startIndex, false, false)
        for index in field.indices {
            switch field[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                parts.append(field[start..<index])
                start = field.index(after: index)
            default: break
            }
        }
        return (parts + [field[start...]]).filter { !trimmed($0).isEmpty }
    }

    private static func trimmed(_ text: Substring) -> String {
        text.trimmingCharacters(in: .whitespaces)
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") else { return text }
        var (result, isEscaped) = ("", false)
        for character in text.dropFirst().dropLast() {
            guard isEscaped || character != "\\" else {
                isEscaped = true
                continue
            }
            result.append(character)
            isEscaped = false
        }
        return result
    }
}

extension Authentication.Challenge {
    /// The challenge in a response with status 401; nil if a name and a password do not answer it.
    init?(_ response: HTTPURLResponse, proposals: URLCredentialStorage?) {
        guard response.statusCode == 401, let url = response.url, let host = url.host,
            let field = response.value(forHTTPHeaderField: "WWW-Authenticate"),
            let challenge = AuthenticationChallenge.preferred(in: field)
        else { return nil }
        let isDigest = challenge.scheme == "digest"
        let isSecure = url.scheme?.lowercased() == "https"
        let space = URLProtectionSpace(
            host: host, port: url.port ?? (isSecure ? 443 : 80),
            protocol: isSecure ? "https" : "http", realm: challenge.parameters["realm"],
            authenticationMethod: isDigest
                ? NSURLAuthenticationMethodHTTPDigest : NSURLAuthenticationMethodHTTPBasic)
        let proposal =
            proposals?.defaultCredential(for: space)
            ?? proposals?.credentials(for: space)?.values.first
        self.init(
            original: URLAuthenticationChallenge(
                protectionSpace: space, proposedCredential: proposal, previousFailureCount: 0,
                failureResponse: response, error: nil, sender: NoSender()))
    }
}

/// Challenges here are answered by what the delegate returns, and not through their sender.
private final class NoSender: NSObject, URLAuthenticationChallengeSender, Sendable {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
