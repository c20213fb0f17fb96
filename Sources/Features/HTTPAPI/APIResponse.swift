package import JSONReading

/// An answer of the API.
public struct APIResponse: Sendable {
    /// What follows the header fields.
    public enum Content: Sendable {
        /// A body.
        case bytes([UInt8])
        /// Server-sent events, which go on until the client leaves.
        case events(AsyncStream<String>)
    }

    /// The status code.
    public var status: Int
    /// The header fields, without those that follow from the content's length.
    public var headers: [(name: String, value: String)]
    /// The content.
    public var content: Content

    /// Makes an answer without a body.
    package init(status: Int, headers: [(name: String, value: String)] = []) {
        self.status = status
        self.headers = headers
        content = .bytes([])
    }

    /// Makes an answer with a text.
    package init(status: Int = 200, _ type: String, _ text: String) {
        self.init(status: status, headers: [("content-type", type)])
        content = .bytes(Array(text.utf8))
    }

    /// Makes an answer with JSON.
    package init(status: Int = 200, _ value: JSONValue) {
        self.init(status: status, "application/json", value.description)
    }

    /// The body; empty for events.
    public var body: [UInt8] {
        guard case .bytes(let bytes) = content else { return [] }
        return bytes
    }

    /// The answer with one more header field.
    package func with(_ name: String, _ value: String) -> APIResponse {
        var response = self
        response.headers.append((name, value))
        return response
    }
}
