import Catalog
import HTTPAPI
import JSONReading

/// What a request names of this host that not every user of the host may use: sockets in the file system,
/// and files that a link would read.
enum FileReference {
    /// Why a request is refused if nobody knows whose program has sent it; nil if it may pass.
    static func refusal(of request: APIRequest) -> APIError? {
        guard let body = try? JSONValue(parsing: request.body), let found = find(in: body) else {
            return nil
        }
        return APIError(
            403,
            "\(found) is of this proxy's user, and any program of this host may have sent the "
                + "request; serve the API with --api unix:/PATH, or give it a token")
    }

    /// The first such name in a body.
    static func find(in value: JSONValue) -> String? {
        switch value {
        case .string(let text): return isReference(text) ? text : nil
        case .array(let elements): return first(of: elements)
        case .object(let members): return first(of: members.map(\.value))
        case .null, .bool, .number: return nil
        }
    }

    private static func first(of values: [JSONValue]) -> String? {
        for value in values {
            if let found = find(in: value) { return found }
        }
        return nil
    }

    private static func isReference(_ text: String) -> Bool {
        if text.hasPrefix("unix:") || ProfileCatalog.isPath(text) { return true }
        // A setting that names a delivery trace, such as down.trace=lte.trace.
        let key = text.prefix { $0 != "=" }
        return key != text
            && key.split(separator: ".").last?.filter { !$0.isWhitespace } == "trace"
    }
}
