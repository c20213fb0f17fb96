import HTTPAPI
import JSONReading
import ProxyControl

/// The fields of a proxy in a request; nil for those that are not there.
struct ProxyInput: Sendable {
    var name: String?
    var listen: String?
    var upstream: String?
    var isEnabled: Bool?

    init() {}

    init(_ value: JSONValue) throws(APIError) {
        do {
            let fields = try JSONFields(value)
            name = try fields.text("name").flatMap { $0.isEmpty ? nil : $0 }
            listen = try fields.text("listen")
            upstream = try fields.text("upstream").flatMap { $0.isEmpty ? nil : $0 }
            isEnabled = try fields.flag("enabled")
        } catch {
            throw .badBody(error.description, field: error.field)
        }
    }

    /// The list of `/populate`: nothing is made if an element lacks something.
    static func list(
        _ value: JSONValue
    ) throws(APIError) -> [(name: String, upstream: String, input: ProxyInput)] {
        guard case .array(let elements) = value else {
            throw .badBody("a list of proxies belongs here, not \(value.kind)")
        }
        var inputs: [(name: String, upstream: String, input: ProxyInput)] = []
        for (index, element) in elements.enumerated() {
            let input = try ProxyInput(element)
            guard let name = input.name else { throw .missing("name at proxy \(index + 1)") }
            guard let upstream = input.upstream else {
                throw .missing("upstream at proxy \(index + 1)")
            }
            inputs.append((name, upstream, input))
        }
        return inputs
    }
}

/// Where a proxy listens, as Toxiproxy's clients write it.
struct ListenAddress {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// As the proxy shows it. Without an address it is a free port of the loopback interface; Toxiproxy
    /// would listen to all.
    var resolved: String {
        if text.isEmpty { return "127.0.0.1:0" }
        if text.hasPrefix(":") { return "0.0.0.0\(text)" }
        let name = "localhost:"
        return text.hasPrefix(name) ? "127.0.0.1:\(text.dropFirst(name.count))" : text
    }
}

extension Toxic {
    /// Reads a new toxic, whose checks are in Toxiproxy's order.
    init(_ body: JSONValue, among others: [Toxic]) throws(APIError) {
        do {
            let fields = try JSONFields(body)
            let type = try fields.text("type") ?? ""
            let direction = try fields.text("stream").flatMap { $0.isEmpty ? nil : $0.lowercased() }
            guard let stream = StreamBehaviour.Direction(rawValue: direction ?? "downstream") else {
                throw APIError(400, "stream was invalid, can be either upstream or downstream")
            }
            let name = try fields.text("name").flatMap { $0.isEmpty ? nil : $0 }
            guard ToxicAttributes.types.contains(type) else {
                throw APIError(400, "invalid toxic type")
            }
            self.init(name: name ?? "\(type)_\(stream.rawValue)", .noop, stream)
            guard !others.contains(where: { $0.name == self.name }) else {
                throw APIError(409, "toxic already exists")
            }
            toxicity = try fields.decimal("toxicity") ?? 1
            kind = try ToxicAttributes.kind(of: type, fields.object("attributes")) ?? .noop
            if let problem { throw problem }
        } catch let error as APIError {
            throw error
        } catch {
            throw .badBody("\(error)", field: (error as? FieldProblem)?.field)
        }
    }

    /// The toxic with the attributes and the toxicity that a request names.
    func updated(by body: JSONValue) throws(APIError) -> Toxic {
        do throws(FieldProblem) {
            let fields = try JSONFields(body)
            var toxic = self
            toxic.toxicity = try fields.decimal("toxicity") ?? toxicity
            if case .object(let new) = fields.value("attributes"),
                case .object(let old) = attributes
            {
                // A loss is given as a rate or in per cent.
                let keys = Set(
                    new.map(\.key) + (new.contains { $0.key == "rate" } ? ["percent"] : []))
                let merged = JSONValue.object(new + old.filter { !keys.contains($0.key) })
                let attributes = try JSONFields(merged, at: "attributes")
                toxic.kind = try ToxicAttributes.kind(of: type, attributes) ?? kind
            }
            if let problem = toxic.problem { throw problem }
            return toxic
        } catch {
            throw .badBody(error.description, field: error.field)
        }
    }
}

extension ListenerState {
    /// The target of a forwarding listener; nil for others, which Toxiproxy does not have.
    var upstream: String? {
        guard case .forward(let target) = service else { return nil }
        return target
    }
}

extension APIError {
    static let noSuchToxic = APIError(404, "toxic not found")

    static func missing(_ field: String) -> APIError {
        APIError(400, "missing required field: \(field)")
    }

    static func badBody(_ explanation: String, field: String? = nil) -> APIError {
        APIError(400, "bad request body: \(explanation)", field: field)
    }
}

extension APIRequest {
    /// The body as JSON, with Toxiproxy's message if it is none.
    func toxiproxyValue() throws(APIError) -> JSONValue {
        if body.isEmpty { throw .badBody("EOF") }
        do { return try JSONValue(parsing: body) } catch { throw .badBody(error.description) }
    }

}
