import HTTPAPI
import JSONReading

/// The API of a host, under `/v1/host`. Unknown fields are errors.
struct HostFace: Sendable {
    let host: any HostController
    let about: HostDescription
    /// Makes the address that opens the panel in another browser.
    let invite: @Sendable () -> String
    let turns = Turns()
    let plays = Plays()

    init(
        host: any HostController, about: HostDescription, invite: @escaping @Sendable () -> String
    ) {
        self.host = host
        self.about = about
        self.invite = invite
    }

    /// The answer; nil if the path is none of this API's.
    func respond(to request: APIRequest, _ path: [String]) async throws -> APIResponse? {
        guard path.first == "v1" else { return nil }
        if path.count == 2, path[1] == "openapi.json" {
            return try await request.answer(["GET": { OpenAPI.response }])
        }
        guard path.count > 1, path[1] == "host" else { return nil }
        try expectJSON(request)
        switch (path.count, path.count > 2 ? path[2] : "") {
        case (2, _): return try await request.answer(["GET": { APIResponse(description) }])
        case (3, "state"): return try await request.answer(["GET": { try await state(request) }])
        case (3, "events"): return try await request.answer(["GET": { try await events(request) }])
        case (3, "profiles"):
            return try await request.answer(["GET": { try await show(["list", "--json"]) }])
        case (4, "profiles"):
            let name = try ConditionsRequest.profile(path[3])
            return try await request.answer(["GET": { try await show(["show", name, "--json"]) }])
        case (3, "path"):
            return try await request.answer(["GET": { try await showPath() }])
        case (3, "scenarios"):
            return try await request.answer([
                "GET": { try await show(["list", "--scenarios", "--json"]) }
            ])
        case (4, "scenarios"):
            return try await request.answer(["GET": { try await showScenario(path[3], request) }])
        case (3, "plays"):
            return try await request.answer([
                "GET": { APIResponse(await plays.json) }, "POST": { try await beginPlay(request) },
            ])
        case (4, "plays"):
            return try await request.answer([
                "GET": { try await showPlay(path[3]) }, "DELETE": { try await endPlay(path[3]) },
            ])
        case (5, "programs") where path[4] == "report":
            return try await request.answer(["GET": { try await report(of: path[3]) }])
        case (3, "doctor"):
            return try await request.answer(["GET": { try await show(["doctor", "--json"]) }])
        case (3, "fields"): return try await request.answer(["GET": { FieldList.response }])
        case (3, "invitations"):
            return try await request.answer([
                "POST": { APIResponse(status: 201, ["address": .string(invite())]) }
            ])
        case (3, "conditions"):
            return try await request.answer([
                "GET": { try await allConditions() }, "DELETE": { try await clearEverything() },
            ])
        case (3, "overrides"):
            return try await request.answer([
                "GET": { try await show(["override", "show", "--json"]) }
            ])
        case (4..., "interfaces"): return try await interface(request, Array(path[3...]))
        default: return nil
        }
    }

    private func interface(_ request: APIRequest, _ path: [String]) async throws -> APIResponse? {
        let interface = try Self.word(path[0], "the interface")
        switch (path.count, path.count > 1 ? path[1] : "") {
        case (2, "override"):
            return try await request.answer([
                "PATCH": { try await setOverride(of: interface, request) },
                "DELETE": { try await clearOverride(of: interface) },
            ])
        case (3, "conditions"):
            let name = try Self.word(path[2], "the name")
            let place = ConditionsPlace(interface: interface, name: name)
            return try await request.answer([
                "GET": { try await showConditions(place) },
                "PUT": { try await setConditions(place, request) },
                "DELETE": { try await clearConditions(place, request) },
            ])
        case (5, "conditions") where path[3] == "traces":
            let place = ConditionsPlace(
                interface: interface, name: try Self.word(path[2], "the name"))
            return try await request.answer(["GET": { try await showTrace(path[4], of: place) }])
        default: return nil
        }
    }

    /// A page of another site cannot send this type without asking first, which nobody allows.
    private func expectJSON(_ request: APIRequest) throws(APIError) {
        guard !request.body.isEmpty else { return }
        let type = request.headers["content-type"]?.prefix { $0 != ";" }
        guard type?.lowercased() == "application/json" else {
            throw APIError(415, "send JSON, with the header Content-Type: application/json")
        }
    }

    private var description: JSONValue {
        [
            "name": .string(about.name), "version": .string(about.version),
            "mayChange": .bool(about.mayChange),
            "hint": about.mayChange
                ? .null
                : .string(
                    "linkcond serve runs without root: it shows this host's interfaces, and your "
                        + "runs, matrices and proxies, but cannot change interfaces. For that, "
                        + "start it with: sudo linkcond serve"),
        ]
    }

    // MARK: Running the command line

    /// A word from a request that becomes one of a command: none that reads as an option.
    static func word(_ text: String, _ what: String) throws(APIError) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
        guard !text.isEmpty, !text.hasPrefix("-"), isPlain, text.utf8.count <= 4096 else {
            throw APIError(400, "\"\(text)\" cannot be \(what)")
        }
        return text
    }

    /// Runs a command that succeeds, or throws what it says.
    @discardableResult
    func run(_ arguments: [String]) async throws -> CommandResult {
        let result = try await host.run(arguments)
        guard result.exitCode == 0 else { throw APIError(result) }
        return result
    }

    /// The answer with the JSON that a command prints.
    func show(_ arguments: [String]) async throws -> APIResponse {
        APIResponse(status: 200, "application/json", try await run(arguments).output)
    }

    // MARK: What is going on

    private func process(_ request: APIRequest) throws(APIError) -> Int32? {
        guard let text = request.parameter("pid") else { return nil }
        guard let number = Int32(text), number > 0 else {
            throw APIError(400, "pid: \"\(text)\" is no process ID", field: "pid")
        }
        return number
    }

    private func state(_ request: APIRequest) async throws -> APIResponse {
        for await line in try await host.feed(of: process(request)) {
            return APIResponse(status: 200, "application/json", line)
        }
        throw APIError(404, "there is no run with this process, or it has ended", field: "pid")
    }

    private func events(_ request: APIRequest) async throws -> APIResponse {
        let process = try process(request)
        let lines = try await host.feed(of: process)
        let (stream, continuation) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingNewest(2))
        // A browser that is slow misses some; each line is the whole state.
        let task = Task {
            var told: Int?
            for await line in lines {
                var event = "event: state\ndata: \(line)\n\n"
                let version = await plays.version
                if process == nil, version != told {
                    event += "event: plays\ndata: \(await plays.json)\n\n"
                    told = version
                }
                // What was left out may have told of plays.
                if case .dropped = continuation.yield(event) { told = nil }
            }
            continuation.yield("event: end\ndata: {}\n\n")
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        var response = APIResponse(
            status: 200, headers: [("content-type", "text/event-stream")])
        response.content = .events(stream)
        return response
    }
}
