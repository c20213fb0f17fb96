import HTTPAPI
import Synchronization

/// Who may use the panel and the API of a host.
///
/// Whoever holds a session may do what the server may do, which is everything if it runs as root. A
/// browser gets a session for a token that works once; programs send a token of their own. Pages of
/// others, whose requests a browser would send along with the session, are told apart by `Origin`,
/// `Sec-Fetch-Site` and the name by which they have found the address (`Host`).
public final class PanelAccess: Sendable {
    /// The number of random bytes in tokens and sessions.
    private static let secretBytes = 16
    /// The most sessions; the oldest ends with the next one.
    static let mostSessions = 256
    /// How long a session lasts, in seconds.
    static let sessionSeconds: Int64 = 12 * 3600

    private struct State {
        var tokens: [String] = []
        var sessions: [Session]
        var attempts = AttemptLimit()
    }

    private let state: Mutex<State>
    private let names: Set<String>
    private let isEncrypted: Bool
    private let programToken: String?
    private let save: @Sendable ([Session]) -> Void

    /// Makes the policy of a server.
    ///
    /// - Parameters:
    ///   - names: The names of this host besides those of the loopback.
    ///   - programToken: What programs send as `Authorization: Bearer`; nil if they may not.
    ///   - sessions: Those of the server that was here before.
    ///   - save: Keeps the sessions for the next one.
    public init(
        names: Set<String> = [], isEncrypted: Bool = false, programToken: String? = nil,
        sessions: [Session] = [], save: @escaping @Sendable ([Session]) -> Void = { _ in }
    ) {
        self.names = Set(names.map { $0.lowercased() })
        self.isEncrypted = isEncrypted
        self.programToken = programToken
        self.save = save
        state = Mutex(State(sessions: sessions))
    }

    /// A new token, which opens one session.
    public func makeToken() -> String {
        let token = Self.secret()
        state.withLock { $0.tokens.append(token) }
        return token
    }

    /// The session of a browser that shows a token, as a cookie; throws if it is none.
    func openSession(
        _ token: String, from source: String, at now: Duration, on date: Int64
    ) throws(APIError) -> String {
        let id = try state.withLock { state throws(APIError) -> String in
            guard state.attempts.allows(source, at: now) else { throw Self.tooMany }
            guard let index = state.tokens.firstIndex(where: { Self.isEqual($0, token) }) else {
                state.attempts.fail(source, at: now)
                throw APIError(
                    401, "this token is wrong, or was used already; each opens one browser")
            }
            state.tokens.remove(at: index)
            let session = Session(id: Self.secret(), until: date + Self.sessionSeconds)
            state.sessions = (state.sessions.filter { $0.until > date } + [session])
                .suffix(Self.mostSessions)
            save(state.sessions)
            return session.id
        }
        return "\(cookieName)=\(id); Path=/; HttpOnly; SameSite=Strict; Max-Age="
            + "\(Self.sessionSeconds)" + (isEncrypted ? "; Secure" : "")
    }

    /// Ends the session of a request.
    func closeSession(_ request: APIRequest) {
        guard let id = request.cookie(cookieName) else { return }
        state.withLock { state in
            state.sessions.removeAll { Self.isEqual($0.id, id) }
            save(state.sessions)
        }
    }

    private var cookieName: String { isEncrypted ? "__Host-linkcond" : "linkcond" }

    /// Throws if a page of somebody else may have sent the request.
    func checkSource(of request: APIRequest) throws(APIError) {
        guard let host = request.headers["host"] else {
            throw APIError(400, "the request does not say to which host it was sent")
        }
        let name = APIAddress.hostName(in: host).lowercased()
        guard APIAddress.isLoopback(name) || APIAddress.isNumeric(name) || names.contains(name)
        else {
            throw APIError(
                403,
                "the request was sent to \(host), which is not a name of this host; use its "
                    + "address, or give the name with --host-name")
        }
        let scheme = isEncrypted ? "https" : "http"
        if let origin = request.headers["origin"], origin != "\(scheme)://\(host)" {
            throw APIError(403, "a page of \(origin) may not use this API")
        }
        let isReading = ["GET", "HEAD"].contains(request.method)
        if !isReading, let site = request.headers["sec-fetch-site"],
            !["same-origin", "none"].contains(site)
        {
            throw APIError(403, "a page of another site may not use this API")
        }
    }

    /// Whether the request has a session or the token of programs.
    func isKnown(_ request: APIRequest, on date: Int64) -> Bool {
        if let programToken, let given = request.bearerToken {
            return Self.isEqual(given, programToken)
        }
        guard let id = request.cookie(cookieName) else { return false }
        return state.withLock { state in
            state.sessions.contains { $0.until > date && Self.isEqual($0.id, id) }
        }
    }

    /// Throws if the request has neither, and slows down those who guess.
    func expectKnown(
        _ request: APIRequest, from source: String, at now: Duration, on date: Int64
    ) throws(APIError) {
        guard !isKnown(request, on: date) else { return }
        let hasGuessed = request.bearerToken != nil
        try state.withLock { state throws(APIError) in
            guard state.attempts.allows(source, at: now) else { throw Self.tooMany }
            if hasGuessed { state.attempts.fail(source, at: now) }
        }
        throw APIError(
            401,
            hasGuessed
                ? "the token is wrong"
                : "this browser has no session; open the address that linkcond serve printed")
    }

    private static let tooMany = APIError(429, "too many wrong tokens; wait a second")

    /// Takes as long for a wrong secret as for another one of its length.
    private static func isEqual(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<secretBytes).map { _ in
            let byte = UInt8.random(in: 0...255, using: &generator)
            return (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}

/// A browser that has shown a token.
public struct Session: Sendable, Hashable {
    /// The secret of the browser.
    public var id: String
    /// When it ends, in seconds since 1970.
    public var until: Int64

    /// Describes a session.
    public init(id: String, until: Int64) {
        self.id = id
        self.until = until
    }
}

extension APIRequest {
    /// The value of a cookie.
    func cookie(_ name: String) -> String? {
        for pair in (headers["cookie"] ?? "").split(separator: ";") {
            let halves = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if halves.count == 2, halves[0] == name { return String(halves[1]) }
        }
        return nil
    }

    /// The token of `Authorization: Bearer TOKEN`.
    var bearerToken: String? {
        let prefix = "bearer "
        guard let value = headers["authorization"], value.lowercased().hasPrefix(prefix) else {
            return nil
        }
        return String(value.dropFirst(prefix.count))
    }
}
