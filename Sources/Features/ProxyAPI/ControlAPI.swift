public import HTTPAPI
public import ProxyControl
import Synchronization

/// The HTTP API of a running proxy: a function from requests to answers.
///
/// Theory of operation. `linkcond-api` reads requests from sockets and gives them to `respond`, which
/// checks who asks (`AccessPolicy`) and hands them to one of two faces: linkcond's own under `/v1`
/// (`OwnFace`), and Toxiproxy's (`ToxiproxyFace`), so that its clients work unchanged. Both speak to
/// the proxy through `ProxyEditor`. Nothing here knows of sockets; tests give values in, with a
/// proxy of their own.
public final class ControlAPI: Sendable {
    private let access: AccessPolicy
    private let attempts = Mutex(AttemptLimit())
    private let events: EventHub
    private let editor: ProxyEditor
    private let requests = Mutex(0)

    /// Makes the API of the proxy at the other end of `proxy`.
    public init(proxy: any ProxyController, access: AccessPolicy) {
        self.access = access
        events = EventHub(proxy)
        editor = ProxyEditor(proxy)
    }

    /// Asks the proxy for its events; the first order, which tells it that the API is open.
    public func start() async throws {
        try await events.updateInterval()
    }

    /// Takes an event of the proxy.
    public func receive(_ event: ProxyReply) async {
        switch event {
        case .listener(let listener): events.publish("listener", editor.shown(listener))
        case .link(let link):
            // What is below its toxics depends on who owns it.
            guard let state = try? await editor.state(),
                let current = state.links.first(where: { $0.name == link.name })
            else { return }
            events.publish("link", editor.shown(current, in: state))
        case .listenerDeleted(let name):
            events.publish("listener-deleted", ["name": .string(name)])
        case .linkDeleted(let name): events.publish("link-deleted", ["name": .string(name)])
        case .counters(let counters): events.publish("counters", counters.json)
        case .note(let text): events.publish("note", ["text": .string(text)])
        case .done, .state, .failed: break
        }
    }

    /// Answers a request of `source`, the address of the client.
    ///
    /// - Parameter now: The time of any clock that does not go back.
    public func respond(
        to request: APIRequest, from source: String = "", at now: Duration = .zero
    ) async -> APIResponse {
        do {
            try check(request, source, now)
            guard let path = request.path else {
                throw APIError(400, "the path \(request.target) has a broken percent encoding")
            }
            if let response = try await own.respond(to: request, path) { return response }
            guard request.headers["user-agent"]?.hasPrefix("Mozilla/") != true else {
                throw APIError(403, "User agent not allowed")
            }
            if let response = try await toxiproxy.respond(to: request, path) {
                let number = requests.withLock { count in
                    count += 1
                    return count
                }
                return response.with("x-toxiproxy-request-id", "\(number)")
            }
            throw APIError(404, "there is nothing at \(request.target); see /v1/openapi.json")
        } catch {
            return APIError(caught: error).response
        }
    }

    private var own: OwnFace { OwnFace(editor: editor, events: events) }

    private var toxiproxy: ToxiproxyFace { ToxiproxyFace(editor: editor) }

    private func check(
        _ request: APIRequest, _ source: String, _ now: Duration
    ) throws(APIError) {
        guard attempts.withLock({ $0.allows(source, at: now) }) else {
            throw APIError(429, "too many wrong tokens; wait a second")
        }
        guard let refusal = access.refusal(of: request) else { return }
        if refusal.status == 401 { attempts.withLock { $0.fail(source, at: now) } }
        throw refusal
    }
}
