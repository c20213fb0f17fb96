import HTTPAPI
import JSONReading
import ProxyControl

/// Toxiproxy's API, for its clients: the listeners that forward, as proxies.
///
/// Paths, fields, status codes and messages are those of Toxiproxy 2.12. Unknown fields are ignored
/// as there.
struct ToxiproxyFace: Sendable {
    /// The version that clients see.
    static let version = "2.12.0"

    let editor: ProxyEditor

    /// The answer; nil if the path is none of Toxiproxy's.
    func respond(to request: APIRequest, _ path: [String]) async throws -> APIResponse? {
        switch (path.count, path.first) {
        case (1, "version"):
            return try await request.answer(["GET": { version() }])
        case (1, "metrics"):
            return try await request.answer(["GET": { try await metrics() }])
        case (1, "reset"):
            return try await request.answer(["POST": { try await reset() }])
        case (1, "populate"):
            return try await request.answer(["POST": { await populate(request) }])
        case (1, "proxies"):
            return try await request.answer([
                "GET": { try await proxies() }, "POST": { try await create(request) },
            ])
        case (2, "proxies"):
            return try await request.answer([
                "GET": { APIResponse(try await shown(path[1])) },
                "POST": { try await update(path[1], request) },
                "PATCH": { try await update(path[1], request) },
                "DELETE": { try await delete(path[1]) },
            ])
        case (3, "proxies") where path[2] == "toxics":
            return try await request.answer([
                "GET": { try await toxics(of: path[1]) },
                "POST": { try await addToxic(to: path[1], request) },
            ])
        case (4, "proxies") where path[2] == "toxics":
            return try await request.answer([
                "GET": { APIResponse(try await toxic(path[3], of: path[1]).json) },
                "POST": { try await updateToxic(path[3], of: path[1], request) },
                "PATCH": { try await updateToxic(path[3], of: path[1], request) },
                "DELETE": { try await deleteToxic(path[3], of: path[1]) },
            ])
        default: return nil
        }
    }

    // MARK: Proxies

    private func proxies() async throws -> APIResponse {
        let state = try await editor.state()
        let listeners = state.listeners.filter { $0.upstream != nil }.sorted { $0.name < $1.name }
        return APIResponse(
            .object(listeners.map { JSONMember(key: $0.name, value: shown($0)) }))
    }

    private func shown(_ name: String) async throws -> JSONValue {
        shown(try await find(name).listener)
    }

    private func shown(_ listener: ListenerState) -> JSONValue {
        [
            "name": .string(listener.name), "listen": .string(listener.address),
            "upstream": .string(listener.upstream ?? ""), "enabled": .bool(listener.isEnabled),
            "toxics": .array(editor.toxics(of: listener).map(\.json)),
        ]
    }

    private func create(_ request: APIRequest) async throws -> APIResponse {
        let body = try request.toxiproxyValue()
        let input = try ProxyInput(body)
        guard let name = input.name else { throw APIError.missing("name") }
        guard let upstream = input.upstream else { throw APIError.missing("upstream") }
        return try await editor.turns.take {
            guard try await !editor.state().listeners.contains(where: { $0.name == name }) else {
                throw APIError(409, "proxy already exists")
            }
            return APIResponse(
                status: 201,
                shown(
                    try await open(
                        name, input.listen ?? "", upstream, isEnabled: input.isEnabled ?? true)))
        }
    }

    private func open(
        _ name: String, _ listen: String, _ upstream: String, isEnabled: Bool
    ) async throws -> ListenerState {
        let address = ListenAddress(listen).resolved
        do {
            return try await editor.proxy.listener(
                .createListener(
                    ListenerRequest(
                        name: name, service: .forward(to: upstream), address: address,
                        isEnabled: isEnabled)))
        } catch let error as ControlError where error.reason == .addressInUse {
            throw Self.inUse(address)
        }
    }

    private func update(_ name: String, _ request: APIRequest) async throws -> APIResponse {
        try await editor.turns.take {
            let (listener, _) = try await find(name)
            let input = try ProxyInput(request.toxiproxyValue())
            return APIResponse(shown(try await change(listener, to: input)))
        }
    }

    /// Changes a listener. Another address or target ends its connections, as it does there.
    private func change(
        _ listener: ListenerState, to input: ProxyInput
    ) async throws -> ListenerState {
        var change = ListenerChange()
        var differs = false
        if let listen = input.listen {
            let address = ListenAddress(listen).resolved
            if address != listener.address { (change.address, differs) = (address, true) }
        }
        if let upstream = input.upstream, upstream != listener.upstream {
            (change.service, differs) = (.forward(to: upstream), true)
        }
        if let isEnabled = input.isEnabled, isEnabled != listener.isEnabled {
            change.isEnabled = isEnabled
        }
        guard change != ListenerChange() else { return listener }
        do {
            let changed = try await editor.proxy.listener(.changeListener(listener.name, change))
            guard differs, changed.isEnabled else { return changed }
            return try await editor.proxy.listener(.closeConnections(listener.name))
        } catch let error as ControlError where error.reason == .addressInUse {
            throw Self.inUse(change.address ?? listener.address)
        }
    }

    private func delete(_ name: String) async throws -> APIResponse {
        try await editor.turns.take {
            _ = try await find(name)
            try await editor.proxy.perform(.deleteListener(name))
            return APIResponse(status: 204)
        }
    }

    private func find(_ name: String) async throws -> (listener: ListenerState, state: ProxyState) {
        let state = try await editor.state()
        guard
            let listener = state.listeners.first(where: { $0.name == name && $0.upstream != nil })
        else { throw APIError(404, "proxy not found") }
        return (listener, state)
    }

    private static func inUse(_ address: String) -> APIError {
        APIError(500, "listen tcp \(address): bind: address already in use")
    }

    // MARK: Toxics

    private func toxics(of name: String) async throws -> APIResponse {
        APIResponse(.array(editor.toxics(of: try await find(name).listener).map(\.json)))
    }

    private func toxic(_ toxic: String, of name: String) async throws -> Toxic {
        let toxics = editor.toxics(of: try await find(name).listener)
        guard let found = toxics.first(where: { $0.name == toxic }) else {
            throw APIError.noSuchToxic
        }
        return found
    }

    private func addToxic(to name: String, _ request: APIRequest) async throws -> APIResponse {
        try await editor.turns.take {
            let (listener, state) = try await find(name)
            let toxics = editor.toxics(of: listener)
            let toxic = try Toxic(request.toxiproxyValue(), among: toxics)
            _ = try await editor.setToxics(toxics + [toxic], of: listener, in: state)
            return APIResponse(toxic.json)
        }
    }

    private func updateToxic(
        _ toxic: String, of name: String, _ request: APIRequest
    ) async throws -> APIResponse {
        try await editor.turns.take {
            let (listener, state) = try await find(name)
            var toxics = editor.toxics(of: listener)
            guard let index = toxics.firstIndex(where: { $0.name == toxic }) else {
                throw APIError.noSuchToxic
            }
            toxics[index] = try toxics[index].updated(by: request.toxiproxyValue())
            _ = try await editor.setToxics(toxics, of: listener, in: state)
            return APIResponse(toxics[index].json)
        }
    }

    private func deleteToxic(_ toxic: String, of name: String) async throws -> APIResponse {
        try await editor.turns.take {
            let (listener, state) = try await find(name)
            let toxics = editor.toxics(of: listener)
            guard toxics.contains(where: { $0.name == toxic }) else { throw APIError.noSuchToxic }
            _ = try await editor.setToxics(
                toxics.filter { $0.name != toxic }, of: listener, in: state)
            return APIResponse(status: 204)
        }
    }

    // MARK: All proxies

    /// Enables all proxies and removes all toxics.
    private func reset() async throws -> APIResponse {
        try await editor.turns.take {
            let state = try await editor.state()
            for listener in state.listeners where listener.upstream != nil {
                _ = try await editor.setToxics([], of: listener, in: state)
                guard !listener.isEnabled else { continue }
                var input = ProxyInput()
                input.isEnabled = true
                _ = try await change(listener, to: input)
            }
            return APIResponse(status: 204)
        }
    }

    /// Makes proxies and replaces those that differ; one that does not keeps its toxics.
    private func populate(_ request: APIRequest) async -> APIResponse {
        var made: [JSONValue] = []
        var failure: APIError?
        do {
            let inputs = try ProxyInput.list(request.toxiproxyValue())
            try await editor.turns.take {
                for (name, upstream, input) in inputs {
                    made.append(shown(try await replace(name, upstream, input)))
                }
            }
        } catch {
            failure = APIError(caught: error)
        }
        // A list without elements is null, as Go writes it.
        let list = JSONMember(key: "proxies", value: made.isEmpty ? .null : .array(made))
        guard let failure, case .object(let members) = failure.json else {
            return APIResponse(status: 201, .object([list]))
        }
        return APIResponse(status: failure.status, .object(members + [list]))
    }

    private func replace(
        _ name: String, _ upstream: String, _ input: ProxyInput
    ) async throws -> ListenerState {
        let state = try await editor.state()
        let isEnabled = input.isEnabled ?? true
        guard let listener = state.listeners.first(where: { $0.name == name }) else {
            return try await open(name, input.listen ?? "", upstream, isEnabled: isEnabled)
        }
        let address = ListenAddress(input.listen ?? "").resolved
        guard listener.address != address || listener.upstream != upstream else { return listener }
        let clean = try await editor.setToxics([], of: listener, in: state)
        var wanted = input
        wanted.isEnabled = isEnabled
        wanted.listen = address
        return try await change(clean, to: wanted)
    }

    private func version() -> APIResponse {
        APIResponse("application/json;charset=utf-8", "{\"version\": \"\(Self.version)\"}\n")
    }

    private func metrics() async throws -> APIResponse {
        APIResponse(
            "text/plain; version=0.0.4; charset=utf-8", Metrics.text(of: try await editor.state()))
    }
}
