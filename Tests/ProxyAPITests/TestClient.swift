import HTTPAPI
import JSONReading
import ProxyAPI
import Testing

/// Speaks to an API with a fake proxy.
struct TestClient: Sendable {
    let proxy: FakeProxy
    let api: ControlAPI

    init(
        _ address: String = "127.0.0.1:8474", token: String? = nil,
        overrides: ControlAPI.Face? = nil
    ) throws {
        let policy = try AccessPolicy(address: #require(APIAddress(address)), token: token)
        proxy = FakeProxy()
        api = ControlAPI(proxy: proxy, access: policy, overrides: overrides)
    }

    /// The API of another program with the same proxy.
    init(following other: TestClient) throws {
        let policy = try AccessPolicy(
            address: #require(APIAddress("127.0.0.1:8474")), token: nil)
        proxy = other.proxy
        api = ControlAPI(proxy: proxy, access: policy)
    }

    /// Sends a request with Python's quotes, `'`, for those of JSON.
    func send(
        _ method: String, _ target: String, _ body: String = "", headers: [String: String] = [:]
    ) async -> Answer {
        let text = body.map { $0 == "'" ? "\"" : "\($0)" }.joined()
        let request = APIRequest(method, target, headers: headers, body: Array(text.utf8))
        return Answer(await api.respond(to: request))
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

    var error: String? {
        guard case .string(let text)? = json["error"] else { return nil }
        return text
    }

    var description: String { "\(status) \(text)" }
}
