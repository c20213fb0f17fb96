import ProxyControl

extension APIRequest {
    /// The answer of the handler for the method, or a refusal that names the others.
    func answer(
        _ handlers: KeyValuePairs<String, () async throws -> APIResponse>
    ) async throws -> APIResponse {
        guard let handler = handlers.first(where: { $0.key == method })?.value else {
            let allowed = handlers.map(\.key).joined(separator: ", ")
            return APIError(405, "\(method) is not possible here; there are \(allowed)").response
                .with("allow", allowed)
        }
        return try await handler()
    }

    /// The body as JSON.
    func json() throws(APIError) -> JSONValue {
        if body.isEmpty { throw APIError(400, "the request has no body; JSON belongs there") }
        do {
            return try JSONValue(parsing: body)
        } catch {
            throw APIError(400, "the body is not JSON: \(error)")
        }
    }
}

extension APIError {
    /// What an error that a handler met means to the client.
    init(caught error: any Error) {
        switch error {
        case let error as APIError: self = error
        case let error as FieldProblem: self.init(error)
        case let error as ControlError: self.init(error)
        default: self.init(400, "\(error)")
        }
    }
}
