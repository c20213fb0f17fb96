import HTTPAPI
import JSONReading
import ProxyControl

extension OwnFace {
    func listeners() async throws -> APIResponse {
        let state = try await editor.state()
        return APIResponse(["listeners": .array(state.listeners.map { editor.shown($0) })])
    }

    func showListener(_ name: String) async throws -> APIResponse {
        answer(try await find(name).listener)
    }

    func createListener(_ request: APIRequest) async throws -> APIResponse {
        let wanted = try ListenerRequest(JSONFields(request.json()))
        return try await editor.turns.take {
            answer(try await editor.proxy.listener(.createListener(wanted)), status: 201)
        }
    }

    func changeListener(_ name: String, _ request: APIRequest) async throws -> APIResponse {
        let change = try ListenerChange(JSONFields(request.json()))
        return try await editor.turns.take {
            let (listener, _) = try await find(name)
            try request.expect(Version.of(editor.configuration(of: listener)))
            if let link = change.link, link != listener.link,
                editor.toxics(of: listener).contains(where: \.actsOnPackets)
            {
                throw APIError(
                    409,
                    "\(name) has toxics that act on packets of its link \(listener.link); remove "
                        + "them before it gets another link", field: "link")
            }
            return answer(try await editor.proxy.listener(.changeListener(name, change)))
        }
    }

    func deleteListener(_ name: String, _ request: APIRequest) async throws -> APIResponse {
        try await editor.turns.take {
            let (listener, _) = try await find(name)
            try request.expect(Version.of(editor.configuration(of: listener)))
            try await editor.proxy.perform(.deleteListener(name))
            return APIResponse(status: 204)
        }
    }

    func closeConnections(_ name: String) async throws -> APIResponse {
        try await editor.turns.take {
            answer(try await editor.proxy.listener(.closeConnections(name)))
        }
    }

    private func find(_ name: String) async throws -> (listener: ListenerState, state: ProxyState) {
        let state = try await editor.state()
        guard let listener = state.listeners.first(where: { $0.name == name }) else {
            throw APIError(404, "there is no listener \(name)")
        }
        return (listener, state)
    }

    private func answer(_ listener: ListenerState, status: Int = 200) -> APIResponse {
        APIResponse(status: status, editor.shown(listener))
            .with("etag", "\"\(Version.of(editor.configuration(of: listener)))\"")
    }
}

extension ListenerRequest {
    fileprivate init(_ fields: JSONFields) throws(FieldProblem) {
        try fields.expect(only: [
            "name", "address", "protocol", "target", "link", "profile", "settings", "enabled",
            "proxyHeader", "behaviours",
        ])
        var conditions: LinkChange?
        if fields.has("profile") || fields.has("settings") {
            guard fields.value("link") == nil else {
                throw fields.problem(
                    "link",
                    "a listener on another's link has no conditions of its own; leave out "
                        + "either link, or profile and settings")
            }
            conditions = LinkChange(
                profile: try fields.text("profile"), settings: try fields.texts("settings"))
        }
        guard let service = try ListenerService(fields) else {
            throw fields.problem(
                "target", "is missing, such as db.example:5432; or give a protocol, socks or http")
        }
        self.init(
            name: try fields.text("name"),
            service: service,
            address: try fields.requiredText("address"), link: try fields.text("link"),
            conditions: conditions, isEnabled: try fields.flag("enabled") ?? true,
            proxyHeader: try fields.choice("proxyHeader", of: ProxyHeaderVersion.self),
            behaviours: try StreamBehaviour.list(fields) ?? [])
    }
}

extension ListenerChange {
    fileprivate init(_ fields: JSONFields) throws(FieldProblem) {
        try fields.expect(only: [
            "name", "address", "protocol", "target", "link", "enabled", "behaviours",
        ])
        self.init()
        name = try fields.text("name")
        service = try ListenerService(fields)
        address = try fields.text("address")
        link = try fields.text("link")
        isEnabled = try fields.flag("enabled")
        behaviours = try StreamBehaviour.list(fields)
    }
}

extension ListenerService {
    private enum Name: String, CaseIterable { case forward, socks, http }

    /// The service that `protocol` and `target` name; nil without both.
    fileprivate init?(_ fields: JSONFields) throws(FieldProblem) {
        let target = try fields.text("target")
        let named = try fields.choice("protocol", of: Name.self)
        guard let name = named ?? (target == nil ? nil : .forward) else { return nil }
        switch name {
        case .forward: self = .forward(to: try fields.requiredText("target"))
        case .socks, .http:
            guard target == nil else {
                throw fields.problem("target", "the clients of a \(name) proxy name their targets")
            }
            self = name == .socks ? .socks : .http
        }
    }
}

extension StreamBehaviour {
    /// The behaviours that `behaviours` lists; nil without it.
    fileprivate static func list(_ fields: JSONFields) throws(FieldProblem) -> [StreamBehaviour]? {
        guard let objects = try fields.objects("behaviours") else { return nil }
        var behaviours: [StreamBehaviour] = []
        for object in objects { behaviours.append(try StreamBehaviour(object)) }
        return behaviours
    }

    private init(_ fields: JSONFields) throws(FieldProblem) {
        let type = try fields.requiredText("type")
        let common = ["type", "name", "direction", "toxicity"]
        guard let kind = try ToxicAttributes.kind(of: type, fields), case .stream(let kind) = kind
        else {
            throw fields.problem(
                "type",
                "\"\(type)\" is not one of timeout, reset_peer, slow_close, limit_data, "
                    + "slicer")
        }
        let direction = try fields.choice("direction", of: Direction.self) ?? .downstream
        let name = try fields.text("name") ?? "\(type)_\(direction.rawValue)"
        self.init(name: name, kind, direction, toxicity: try fields.decimal("toxicity") ?? 1)
        guard case .object(let attributes) = Toxic(self).attributes else { return }
        try fields.expect(only: common + attributes.map(\.key))
        if let problem = Toxic(self).problem {
            throw fields.problem(problem.field, problem.explanation)
        }
    }
}
