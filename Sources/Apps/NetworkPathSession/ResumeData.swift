import Foundation
import FoundationNetworking

/// What is needed to go on with a download that was cut. Apps see its JSON as opaque data.
struct ResumeData: Hashable, Codable, Sendable {
    /// How the server tells this version of the resource from others.
    enum Validator: Hashable, Codable, Sendable {
        /// A strong entity tag.
        case entityTag(String)
        /// The time of the last change.
        case lastModified(String)

        /// What goes into `If-Range`.
        var text: String {
            switch self {
            case .entityTag(let text), .lastModified(let text): text
            }
        }
    }

    var url: URL
    var headers: [String: String]
    /// The request's own; nil for the session's.
    var timeoutInterval: TimeInterval?
    var allowsCellularAccess: Bool?
    var allowsExpensiveNetworkAccess: Bool?
    var allowsConstrainedNetworkAccess: Bool?
    /// The name of the file in which what was received is. Its directory is the session's.
    var partial: String
    /// How much of it counts, in bytes.
    var received: Int64
    /// The size of the whole, in bytes, if the server said it.
    var total: Int64?
    /// What kind of data it is, if the server said it.
    var mediaType: String?
    var validator: Validator

    /// The request for the whole.
    var request: NetworkRequest {
        var request = NetworkRequest(url: url)
        request.urlRequest.allHTTPHeaderFields = headers
        if let timeoutInterval { request.urlRequest.timeoutInterval = timeoutInterval }
        request.allowsCellularAccess = allowsCellularAccess
        request.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        request.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
        return request
    }
}

extension ResumeData {
    /// Reads what an app has kept.
    ///
    /// It was on disk meanwhile, where others may have written it: nothing is taken that a session
    /// would not have said.
    init(reading data: Data) throws(URLError) {
        guard let read = try? JSONDecoder().decode(ResumeData.self, from: data), read.isPlausible
        else {
            throw URLError(.cannotDecodeRawData, "This is no resume data of a NetworkSession.")
        }
        self = read
    }

    private var isPlausible: Bool {
        let texts = [validator.text] + headers.flatMap { [$0.key, $0.value] }
        return ["http", "https"].contains(url.scheme?.lowercased()) && url.host != nil
            && received > 0 && received <= total ?? .max
            // Nothing that ends a line of the request, and begins another.
            && !texts.contains { $0.unicodeScalars.contains { ["\r", "\n", "\0"].contains($0) } }
    }
}

extension ResumeData.Validator {
    /// What `response` offers; nil if parts of it cannot be asked for safely.
    init?(_ response: HTTPURLResponse) {
        guard response.value(forHTTPHeaderField: "Accept-Ranges") != "none",
            let version = Self.version(of: response)
        else { return nil }
        self = version
    }

    /// Which version of the resource `response` is of; nil if that is not told byte for byte.
    ///
    /// Parts are only put together if the server promises that they are of one and the same
    /// version: weak tags do not (RFC 9110, section 13.1.5), and what was compressed in transit is
    /// not what was counted.
    static func version(of response: HTTPURLResponse) -> Self? {
        guard [200, 206].contains(response.statusCode), response.isVerbatim else { return nil }
        if let tag = response.value(forHTTPHeaderField: "ETag"), tag.hasPrefix("\"") {
            return .entityTag(tag)
        }
        return response.value(forHTTPHeaderField: "Last-Modified").map(Self.lastModified)
    }
}

/// What a `Content-Range` says (RFC 9110, section 14.4): `bytes 5-9/10`.
struct ContentRange: Hashable, Sendable {
    /// The place of the first byte.
    let start: Int64
    /// The size of the whole; nil if it is not said.
    let total: Int64?

    init?(_ text: String) {
        guard let match = text.wholeMatch(of: /bytes ([0-9]+)-([0-9]+)\/([0-9]+|\*)/),
            let start = Int64(match.1), let end = Int64(match.2), start <= end
        else { return nil }
        self.start = start
        total = Int64(match.3)
        if let total, end >= total { return nil }
    }
}
