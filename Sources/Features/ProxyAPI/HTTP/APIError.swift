import ProxyControl

/// Why a request is refused, in the form of both faces of the API.
struct APIError: Error, Equatable {
    /// The status code.
    var status: Int
    /// One sentence.
    var message: String
    /// The field that is wrong; nil if none is.
    var field: String?

    init(_ status: Int, _ message: String, field: String? = nil) {
        self.status = status
        self.message = message
        self.field = field
    }

    init(_ problem: FieldProblem) {
        self.init(400, problem.description, field: problem.field)
    }

    init(_ error: ControlError) {
        self.init(Self.status(of: error.reason), error.description, field: error.field)
    }

    private static func status(of reason: ControlError.Reason) -> Int {
        switch reason {
        case .nameTaken, .addressInUse, .linkInUse: 409
        case .noSuchListener, .noSuchLink: 404
        case .badField, .addressNotAvailable: 400
        case .notPermitted: 403
        case .badCall, .failed: 500
        }
    }

    /// `{"error": "proxy not found", "status": 404}`, with the field if there is one.
    var json: JSONValue {
        var members = [
            JSONMember(key: "error", value: .string(message)),
            JSONMember(key: "status", value: .integer(status)),
        ]
        if let field { members.append(JSONMember(key: "field", value: .string(field))) }
        return .object(members)
    }

    /// The answer.
    var response: APIResponse { APIResponse(status: status, json) }
}
