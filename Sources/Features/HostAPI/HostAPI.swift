public import HTTPAPI

/// The panel and the HTTP API of a host: a function from requests to answers.
///
/// Theory of operation. `linkcond serve` becomes `linkcond-api panel`, which reads requests from
/// sockets and gives them to `respond`. Who asks is checked by `PanelAccess`. What changes the host is
/// done by the command line: each request becomes the words of one `linkcond` command, which the
/// answer names, so that the panel can show the command that does the same (`HostFace`). Before a
/// change, the version that the client has seen is compared; changes of clients come one after the
/// other. What is shown comes from `linkcond serve-feed`, one process for all browsers.
public final class HostAPI: Sendable {
    private let access: PanelAccess
    private let face: HostFace
    private let date: @Sendable () -> Int64

    /// Makes the API.
    ///
    /// - Parameters:
    ///   - address: The beginning of the panel's address, such as `http://127.0.0.1:8475`.
    ///   - date: The seconds since 1970.
    public init(
        host: any HostController, access: PanelAccess, about: HostDescription, address: String,
        date: @escaping @Sendable () -> Int64
    ) {
        self.access = access
        self.date = date
        face = HostFace(host: host, about: about) { "\(address)/login?token=\(access.makeToken())" }
    }

    /// Answers a request of `source`, the address of the client.
    ///
    /// - Parameter now: The time of any clock that does not go back.
    public func respond(
        to request: APIRequest, from source: String = "", at now: Duration = .zero
    ) async -> APIResponse {
        do {
            guard let path = request.path else {
                throw APIError(400, "the path \(request.target) has a broken percent encoding")
            }
            try access.checkSource(of: request)
            if let response = try await pages(request, path, source, now) { return response }
            try access.expectKnown(request, from: source, at: now, on: date())
            if path == ["v1", "host", "session"] {
                return try await request.answer(["DELETE": { self.endSession(of: request) }])
            }
            if let response = try await face.respond(to: request, path) {
                return response.with("cache-control", "no-store")
            }
            throw APIError(404, "there is nothing at \(request.target); see /v1/openapi.json")
        } catch {
            return APIError(caught: error).response
        }
    }

    private func pages(
        _ request: APIRequest, _ path: [String], _ source: String, _ now: Duration
    ) async throws -> APIResponse? {
        switch path {
        case []:
            let isKnown = access.isKnown(request, on: date())
            return try await request.answer(["GET": { PanelPage.page(isKnown: isKnown) }])
        case ["favicon.ico"]: return APIResponse(status: 204)
        case ["login"]:
            return try await request.answer([
                "GET": { self.login(request.parameter("token"), request, source, now) },
                "POST": { self.login(request.formToken, request, source, now) },
            ])
        default:
            guard path.count == 1, let part = PanelPage.part(path[0]) else { return nil }
            return try await request.answer(["GET": { part }])
        }
    }

    private func endSession(of request: APIRequest) -> APIResponse {
        access.closeSession(request)
        return APIResponse(status: 204)
    }

    private func login(
        _ token: String?, _ request: APIRequest, _ source: String, _ now: Duration
    ) -> APIResponse {
        // A second click on the address leads to the panel, too.
        if access.isKnown(request, on: date()) {
            return APIResponse(status: 303, headers: [("location", "/")])
        }
        do {
            let cookie = try access.openSession(token ?? "", from: source, at: now, on: date())
            return APIResponse(
                status: 303,
                headers: [
                    ("location", "/"), ("set-cookie", cookie), ("cache-control", "no-store"),
                    ("referrer-policy", "same-origin"),
                ])
        } catch {
            return PanelPage.refusal(error)
        }
    }
}

/// What the server knows of itself.
public struct HostDescription: Sendable {
    /// The name of the host.
    public var name: String
    /// linkcond's version.
    public var version: String
    /// Whether it may change the host's interfaces.
    public var mayChange: Bool

    /// Describes a server.
    public init(name: String, version: String, mayChange: Bool) {
        self.name = name
        self.version = version
        self.mayChange = mayChange
    }
}

extension APIRequest {
    /// The token of the form that asks for one.
    fileprivate var formToken: String? {
        let form = String(decoding: body, as: UTF8.self)
        return APIRequest("GET", "/?\(form)").parameter("token")
    }
}
