package import JSONReading

extension APIRequest {
    /// The answer of the handler for the method, or a refusal that names the others.
    package func answer(
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
    package func json() throws(APIError) -> JSONValue {
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
    package init(caught error: any Error) {
        switch error {
        case let error as APIError: self = error
        case let error as FieldProblem: self.init(error)
        case let error as any ErrorWithAPIError: self = error.apiError
        default: self.init(400, "\(error)")
        }
    }
}

/// An error of another module that knows what it means to the client.
package protocol ErrorWithAPIError: Error {
    /// The refusal.
    var apiError: APIError { get }
}
