import HTTPAPI
import JSONReading
import LinuxKernel

extension HostFace {
    /// The conditions of all interfaces.
    func allConditions() async throws -> APIResponse {
        APIResponse(["conditioned": .array(try await conditioned())])
    }

    func showConditions(_ place: ConditionsPlace) async throws -> APIResponse {
        guard let found = try await find(place) else { throw Self.nothing(at: place) }
        return tagged(APIResponse(found), found)
    }

    /// The rates of a trace that is in place; no other file is read.
    func showTrace(_ direction: String, of place: ConditionsPlace) async throws -> APIResponse {
        guard let found = try await find(place) else { throw Self.nothing(at: place) }
        guard ["down", "up"].contains(direction),
            case .string(let file)? = found[direction]?["trace"]
        else { throw APIError(404, "\(place.interface) plays no trace \(direction)") }
        return try await show(["trace", "show", try Self.word(file, "a file"), "--json"])
    }

    func setConditions(_ place: ConditionsPlace, _ request: APIRequest) async throws -> APIResponse
    {
        let wanted = try ConditionsRequest(JSONFields(request.json()))
        return try await turns.take {
            let former = try await find(place)
            try expect(former, request, place)
            let words = wanted.words(place, replacing: former != nil)
            let result = try await run(words)
            return try await answer(words, result, place, status: former == nil ? 201 : 200)
        }
    }

    func clearConditions(
        _ place: ConditionsPlace, _ request: APIRequest
    ) async throws -> APIResponse {
        try await turns.take {
            let former = try await find(place)
            guard former != nil else { throw Self.nothing(at: place) }
            try expect(former, request, place)
            let words = ["clear"] + place.words
            let result = try await run(words)
            return try await answer(words, result, place)
        }
    }

    func clearEverything() async throws -> APIResponse {
        try await turns.take {
            let words = ["clear"]
            return APIResponse(Self.done(words, try await run(words)))
        }
    }

    // MARK: Overrides

    func setOverride(of interface: String, _ request: APIRequest) async throws -> APIResponse {
        let words = try OverrideRequest(JSONFields(request.json())).words(interface)
        return try await turns.take { APIResponse(Self.done(words, try await run(words))) }
    }

    func clearOverride(of interface: String) async throws -> APIResponse {
        let words = ["override", "clear", "-i", interface]
        return try await turns.take { APIResponse(Self.done(words, try await run(words))) }
    }

    // MARK: Versions

    private func conditioned() async throws -> [JSONValue] {
        let result = try await run(["status", "--json"])
        let status = try JSONValue(parsing: Array(result.output.utf8))
        guard case .array(let all)? = status["conditioned"] else {
            throw APIError(502, "linkcond status --json gave an unexpected answer")
        }
        return all
    }

    private func find(_ place: ConditionsPlace) async throws -> JSONValue? {
        try await conditioned().first {
            $0["interface"] == .string(place.interface) && $0["name"] == .string(place.name)
        }
    }

    /// Refuses the change of something that is not as the client has seen it (RFC 9110, section 13).
    private func expect(
        _ former: JSONValue?, _ request: APIRequest, _ place: ConditionsPlace
    ) throws(APIError) {
        if request.headers["if-none-match"] == "*", former != nil {
            throw APIError(
                412, "somebody has conditioned \(place.interface) meanwhile; read it again")
        }
        guard request.headers["if-match"] != nil else { return }
        guard let version = Self.version(of: former) else {
            throw APIError(
                412, "somebody has cleared \(place.interface) meanwhile; read it again")
        }
        try request.expect(version)
    }

    private static func version(of conditions: JSONValue?) -> String? {
        guard case .string(let version)? = conditions?["version"] else { return nil }
        return version
    }

    // MARK: Answers

    private func answer(
        _ words: [String], _ result: CommandResult, _ place: ConditionsPlace, status: Int = 200
    ) async throws -> APIResponse {
        let found = try await find(place)
        let all =
            Self.members(words, result) + [
                JSONMember(key: "conditions", value: found ?? .null),
                // Lines of the feed from before tell of what was there before.
                JSONMember(
                    key: "atMilliseconds",
                    value: .number("\(KernelClock.monotonic / .milliseconds(1))")),
            ]
        return tagged(APIResponse(status: status, .object(all)), found)
    }

    private func tagged(_ response: APIResponse, _ conditions: JSONValue?) -> APIResponse {
        guard let version = Self.version(of: conditions) else { return response }
        return response.with("etag", "\"\(version)\"")
    }

    private static func done(_ words: [String], _ result: CommandResult) -> JSONValue {
        .object(members(words, result))
    }

    private static func members(_ words: [String], _ result: CommandResult) -> [JSONMember] {
        let prefix = "note: "
        let notes = result.messages.filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
        return [
            JSONMember(
                key: "command", value: .string(ShellWord.line(["sudo", "linkcond"] + words))),
            JSONMember(key: "notes", value: .texts(notes)),
        ]
    }

    private static func nothing(at place: ConditionsPlace) -> APIError {
        APIError(404, "\(place.interface) has no conditions called \(place.name)")
    }
}
