package import JSONReading

/// Why a request is refused, in the form of both faces of the API.
package struct APIError: Error, Equatable {
    /// The status code.
    package var status: Int
    /// One sentence.
    package var message: String
    /// The field that is wrong; nil if none is.
    package var field: String?

    package init(_ status: Int, _ message: String, field: String? = nil) {
        self.status = status
        self.message = message
        self.field = field
    }

    package init(_ problem: FieldProblem) {
        self.init(400, problem.description, field: problem.field)
    }

    /// `{"error": "proxy not found", "status": 404}`, with the field if there is one.
    package var json: JSONValue {
        var members = [
            JSONMember(key: "error", value: .string(message)),
            JSONMember(key: "status", value: .integer(status)),
        ]
        if let field { members.append(JSONMember(key: "field", value: .string(field))) }
        return .object(members)
    }

    /// The answer.
    package var response: APIResponse { APIResponse(status: status, json) }
}
