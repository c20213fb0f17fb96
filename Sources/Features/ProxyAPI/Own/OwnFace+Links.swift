import HTTPAPI
import JSONReading
import ProxyControl

extension OwnFace {
    func links() async throws -> APIResponse {
        let state = try await editor.state()
        return APIResponse(["links": .array(state.links.map { editor.shown($0) })])
    }

    func showLink(_ name: String) async throws -> APIResponse {
        answer(try await find(name))
    }

    func createLink(_ request: APIRequest) async throws -> APIResponse {
        let fields = try JSONFields(request.json())
        try fields.expect(only: ["name", "profile", "settings", "seed"])
        let wanted = LinkRequest(
            name: try fields.requiredText("name"),
            conditions: LinkChange(
                profile: try fields.text("profile"), settings: try fields.texts("settings")),
            seed: try fields.unsigned("seed"))
        return try await editor.turns.take {
            answer(try await editor.proxy.link(.createLink(wanted)), status: 201)
        }
    }

    func changeLink(_ name: String, _ request: APIRequest) async throws -> APIResponse {
        let fields = try JSONFields(request.json())
        try fields.expect(only: ["profile", "settings"])
        let (profile, settings) = (try fields.text("profile"), try fields.texts("settings"))
        return try await editor.turns.take {
            let link = try await find(name)
            try request.expect(Version.of(editor.configuration(of: link)))
            let base = editor.base(of: link)
            // A new profile begins without settings, as for the proxy.
            let wanted = LinkChange(
                profile: profile ?? base.profile,
                settings: settings ?? (profile == nil ? base.settings : []))
            _ = try await editor.change(link, to: wanted)
            return try await showLink(name)
        }
    }

    func deleteLink(_ name: String, _ request: APIRequest) async throws -> APIResponse {
        try await editor.turns.take {
            let link = try await find(name)
            try request.expect(Version.of(editor.configuration(of: link)))
            try await editor.proxy.perform(.deleteLink(name))
            return APIResponse(status: 204)
        }
    }

    func startScenario(on name: String, _ request: APIRequest) async throws -> APIResponse {
        let fields = try JSONFields(request.json())
        try fields.expect(only: ["scenario"])
        let scenario = try fields.requiredText("scenario")
        return try await editor.turns.take {
            let link = try await find(name)
            try request.expect(Version.of(editor.configuration(of: link)))
            if let toxic = editor.toxics(of: link).first(where: \.actsOnPackets) {
                throw APIError(
                    409,
                    "the toxic \(toxic.name) acts on \(name), which a scenario would undo; "
                        + "remove it first")
            }
            _ = try await editor.proxy.link(.startScenario(link: name, scenario: scenario))
            return try await showLink(name)
        }
    }

    func stopScenario(on name: String, _ request: APIRequest) async throws -> APIResponse {
        try await editor.turns.take {
            let link = try await find(name)
            try request.expect(Version.of(editor.configuration(of: link)))
            _ = try await editor.proxy.link(.stopScenario(link: name))
            return try await showLink(name)
        }
    }

    private func find(_ name: String) async throws -> LinkState {
        let state = try await editor.state()
        guard let link = state.links.first(where: { $0.name == name }) else {
            throw APIError(404, "there is no link \(name)")
        }
        return link
    }

    private func answer(_ link: LinkState, status: Int = 200) -> APIResponse {
        APIResponse(status: status, editor.shown(link))
            .with("etag", "\"\(Version.of(editor.configuration(of: link)))\"")
    }
}
