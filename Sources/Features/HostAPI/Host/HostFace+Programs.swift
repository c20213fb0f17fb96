import HTTPAPI
import JSONReading
import LinuxKernel

extension HostFace {
    /// The exit code is 1 where no path leads anywhere, which is an answer, too.
    func showPath() async throws -> APIResponse {
        let result = try await host.run(["path", "--json"])
        guard [0, 1].contains(result.exitCode), !result.output.isEmpty else {
            throw APIError(result)
        }
        return APIResponse(status: 200, "application/json", result.output)
    }

    // MARK: Scenarios

    func showScenario(_ text: String, _ request: APIRequest) async throws -> APIResponse {
        let name = try PlayRequest.name(text)
        var words = ["show", name, "--json"]
        if let seed = request.parameter("seed") {
            guard let number = UInt64(seed) else {
                throw APIError(400, "seed: \"\(seed)\" is no whole number", field: "seed")
            }
            words += ["--seed", "\(number)"]
        }
        let result = try await run(words)
        // Profiles have names, too.
        guard let value = try? JSONValue(parsing: Array(result.output.utf8)),
            value["timeline"] != nil
        else { throw APIError(404, "there is no scenario called \(name)") }
        return APIResponse(status: 200, "application/json", result.output)
    }

    func beginPlay(_ request: APIRequest) async throws -> APIResponse {
        let wanted = try PlayRequest(JSONFields(request.json()))
        let id = try await plays.begin(
            wanted.scenario, seed: wanted.seed, words: wanted.words, on: host)
        return APIResponse(status: 201, await plays.json(id) ?? .null)
            .with("location", "/v1/host/plays/\(id)")
    }

    func showPlay(_ id: String) async throws -> APIResponse {
        guard let number = Int(id), let play = await plays.json(number) else {
            throw Self.noPlay(id)
        }
        return APIResponse(play)
    }

    func endPlay(_ id: String) async throws -> APIResponse {
        guard let number = Int(id), let play = try await plays.end(number) else {
            throw Self.noPlay(id)
        }
        return APIResponse(play)
    }

    private static func noPlay(_ id: String) -> APIError {
        APIError(404, "there is no play \(id); see GET /v1/host/plays")
    }

    // MARK: Other programs

    /// The page of a report that a program has written, which is not trusted: it is shown without the
    /// rights of this server's pages.
    func report(of process: String) async throws -> APIResponse {
        guard let number = Int(process), let path = try await reportPath(of: number),
            let page = try await host.report(at: path)
        else {
            throw APIError(404, "process \(process) has written no report, or not yet")
        }
        var response = APIResponse(
            status: 200,
            headers: [
                ("content-type", "text/html; charset=utf-8"),
                ("content-security-policy", PanelPage.reportPolicy),
                ("referrer-policy", "no-referrer"),
            ])
        response.content = .bytes(page)
        return response
    }

    /// Only what the feed tells of can be read.
    private func reportPath(of process: Int) async throws -> String? {
        for await line in try await host.feed(of: nil) {
            let state = try JSONValue(parsing: Array(line.utf8))
            guard case .array(let programs)? = state["programs"] else { return nil }
            let program = programs.first { $0["pid"] == .integer(process) }
            guard case .string(let path)? = program?["report"] else { return nil }
            return path
        }
        return nil
    }
}
