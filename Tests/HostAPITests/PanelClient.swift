import HTTPAPI
import HostAPI
import JSONReading
import Synchronization

/// A browser at the API of a fake host.
final class PanelClient: Sendable {
    let host = FakeHost()
    let api: HostAPI
    let access: PanelAccess
    private let cookie = Mutex<String?>(nil)

    init(
        names: Set<String> = [], isEncrypted: Bool = false, programToken: String? = nil,
        sessions: [Session] = [], date: Int64 = 1000
    ) {
        access = PanelAccess(
            names: names, isEncrypted: isEncrypted, programToken: programToken, sessions: sessions)
        api = HostAPI(
            host: host, access: access,
            about: HostDescription(name: "box", version: "1.0", mayChange: true),
            address: "http://127.0.0.1:8475", date: { date })
    }

    /// Shows a token, and keeps the cookie.
    func logIn(_ token: String? = nil) async -> Answer {
        let answer = await send("GET", "/login?token=\(token ?? access.makeToken())")
        if let set = answer.headers["set-cookie"] {
            cookie.withLock { $0 = String(set.prefix { $0 != ";" }) }
        }
        return answer
    }

    /// All events of a stream that ends.
    func events(_ target: String) async -> String {
        let headers = ["host": "127.0.0.1:8475", "cookie": cookie.withLock { $0 } ?? ""]
        let response = await api.respond(to: APIRequest("GET", target, headers: headers))
        guard case .events(let events) = response.content else { return "" }
        return await events.reduce("", +)
    }

    /// Sends a request, with Python's quotes, `'`, for those of JSON.
    func send(
        _ method: String, _ target: String, _ body: String = "", headers: [String: String] = [:],
        from source: String = "127.0.0.1", at now: Duration = .zero
    ) async -> Answer {
        var all = ["host": "127.0.0.1:8475"]
        if let cookie = cookie.withLock({ $0 }) { all["cookie"] = "a=b; \(cookie)" }
        if !body.isEmpty { all["content-type"] = "application/json" }
        let text = body.map { $0 == "'" ? "\"" : "\($0)" }.joined()
        let request = APIRequest(
            method, target, headers: all.merging(headers) { $1 }, body: Array(text.utf8))
        return Answer(await api.respond(to: request, from: source, at: now))
    }
}

/// An answer to compare.
struct Answer: CustomStringConvertible {
    let status: Int
    let text: String
    let headers: [String: String]

    init(_ response: APIResponse) {
        status = response.status
        text = String(decoding: response.body, as: UTF8.self)
        headers = Dictionary(response.headers.map { ($0.name, $0.value) }) { $1 }
    }

    /// The body, read as JSON.
    var json: JSONValue { (try? JSONValue(parsing: Array(text.utf8))) ?? .null }

    /// What it complains of.
    var error: String { if case .string(let text)? = json["error"] { text } else { "" } }

    var description: String { "\(status) \(text)" }
}
