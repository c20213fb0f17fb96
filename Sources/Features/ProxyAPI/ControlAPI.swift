public import HTTPAPI
import JSONReading
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
    private let overrides: Face?

    /// Answers a request for a path; nil if that is none of its own.
    public typealias Face = @Sendable (APIRequest, [String]) async throws -> APIResponse?

    /// Makes the API of the proxy at the other end of `proxy`.
    ///
    /// - Parameter overrides: Changes what apps see of the network in which the proxy is.
    public init(proxy: any ProxyController, access: AccessPolicy, overrides: Face? = nil) {
        self.access = access
        self.overrides = overrides
        events = EventHub(proxy)
        editor = ProxyEditor(proxy)
    }

    /// Asks the proxy for its events, and tells it that the API is open.
    ///
    /// - Parameter address: The API's address, with its port.
    public func start(at address: APIAddress) async throws {
        try await events.updateInterval()
        try await editor.proxy.perform(.serves(at: "\(address)"))
    }

    /// Takes an event of the proxy.
    public func receive(_ event: ProxyReply) {
        switch event {
        case .listener(let listener): events.publish("listener", editor.shown(listener))
        case .link(let link): events.publish("link", editor.shown(link))
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
            if let response = try await override(request, path) { return response }
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

    /// Overrides are seen by all apps, and so are only for who may be expected to be the user.
    private func override(_ request: APIRequest, _ path: [String]) async throws -> APIResponse? {
        guard path.starts(with: ["v1", "host"]), let overrides else { return nil }
        guard access.knowsClients else {
            throw APIError(
                403,
                "an override changes what all apps see of this network, and any program of this "
                    + "host may have sent the request; serve the API with --api unix:/PATH, or "
                    + "give it a token")
        }
        return try await overrides(request, path)
    }

    private var toxiproxy: ToxiproxyFace { ToxiproxyFace(editor: editor) }

    private func check(
        _ request: APIRequest, _ source: String, _ now: Duration
    ) throws(APIError) {
        guard attempts.withLock({ $0.allows(source, at: now) }) else {
            throw APIError(429, "too many wrong tokens; wait a second")
        }
        if let refusal = access.refusal(of: request) {
            if refusal.status == 401 { attempts.withLock { $0.fail(source, at: now) } }
            throw refusal
        }
        guard !access.knowsClients, let refusal = FileReference.refusal(of: request) else { return }
        throw refusal
    }
}
