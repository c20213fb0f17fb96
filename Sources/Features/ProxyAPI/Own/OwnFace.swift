import Catalog
import HTTPAPI
import JSONReading
import LinkModel
import ProxyControl
import UserCatalog

/// linkcond's own API, under `/v1`: everything that a proxy has. Unknown fields are errors.
struct OwnFace: Sendable {
    let editor: ProxyEditor
    let events: EventHub

    /// The answer; nil if the path is none of this API's.
    func respond(to request: APIRequest, _ path: [String]) async throws -> APIResponse? {
        guard path.first == "v1" else { return nil }
        let name = path.count > 2 ? path[2] : ""
        switch (path.count, path.count > 1 ? path[1] : "", path.count > 3 ? path[3] : "") {
        case (2, "openapi.json", _):
            return try await request.answer(["GET": { OpenAPI.response }])
        case (2, "state", _): return try await request.answer(["GET": { try await state() }])
        case (2, "counters", _): return try await request.answer(["GET": { try await counters() }])
        case (2, "profiles", _): return try await request.answer(["GET": { Self.profiles() }])
        case (2, "events", _):
            return try await request.answer(["GET": { try await events(request) }])
        case (2, "listeners", _):
            return try await request.answer([
                "GET": { try await listeners() }, "POST": { try await createListener(request) },
            ])
        case (3, "listeners", _):
            return try await request.answer([
                "GET": { try await showListener(name) },
                "PATCH": { try await changeListener(name, request) },
                "DELETE": { try await deleteListener(name, request) },
            ])
        case (4, "listeners", "connections"):
            return try await request.answer(["DELETE": { try await closeConnections(name) }])
        case (2, "links", _):
            return try await request.answer([
                "GET": { try await links() }, "POST": { try await createLink(request) },
            ])
        case (3, "links", _):
            return try await request.answer([
                "GET": { try await showLink(name) },
                "PATCH": { try await changeLink(name, request) },
                "DELETE": { try await deleteLink(name, request) },
            ])
        case (4, "links", "scenario"):
            return try await request.answer([
                "PUT": { try await startScenario(on: name, request) },
                "DELETE": { try await stopScenario(on: name, request) },
            ])
        default: return nil
        }
    }

    private static func profiles() -> APIResponse {
        let profiles = UserCatalog.profiles.all().entries.map { entry -> JSONValue in
            [
                "name": .string(entry.profile.id),
                "summary": .string(entry.profile.summary),
            ]
        }
        return APIResponse(["profiles": .array(profiles)])
    }

    // MARK: Everything

    private func state() async throws -> APIResponse {
        APIResponse(shown(try await editor.state()))
    }

    private func shown(_ state: ProxyState) -> JSONValue {
        [
            "listeners": .array(state.listeners.map { editor.shown($0) }),
            "links": .array(state.links.map { editor.shown($0) }),
        ]
    }

    private func counters() async throws -> APIResponse {
        let state = try await editor.state()
        return APIResponse(
            ProxyCounters(
                listeners: Dictionary(state.listeners.map { ($0.name, $0.counters) }) { $1 },
                links: Dictionary(state.links.map { ($0.name, $0.counters) }) { $1 }
            ).json)
    }

    private func events(_ request: APIRequest) async throws -> APIResponse {
        var interval: Int?
        if let text = request.parameter("counters") {
            guard let number = Int(text), number >= EventHub.shortestInterval else {
                throw APIError(
                    400,
                    "counters: \"\(text)\" is no number of milliseconds of at least "
                        + "\(EventHub.shortestInterval)", field: "counters")
            }
            interval = number
        }
        let stream = try await events.subscribe(countersEvery: interval) {
            shown(try await editor.state())
        }
        var response = APIResponse(
            status: 200,
            headers: [("content-type", "text/event-stream"), ("cache-control", "no-store")])
        response.content = .events(stream)
        return response
    }
}
