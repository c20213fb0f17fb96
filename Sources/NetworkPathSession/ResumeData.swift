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
    /// Where what was received is.
    var file: URL
    /// How much of it counts, in bytes.
    var received: Int64
    /// The size of the whole, in bytes, if the server said it.
    var total: Int64?
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

extension ResumeData.Validator {
    /// What `response` offers; nil if parts of it cannot be asked for safely.
    ///
    /// Parts are only put together if the server promises that they are of one and the same
    /// version, byte for byte: weak tags do not (RFC 9110, section 13.1.5), and what was compressed
    /// in transit is not what was counted.
    init?(_ response: HTTPURLResponse) {
        let encoding = response.value(forHTTPHeaderField: "Content-Encoding") ?? "identity"
        guard [200, 206].contains(response.statusCode), encoding == "identity",
            response.value(forHTTPHeaderField: "Accept-Ranges") != "none"
        else { return nil }
        if let tag = response.value(forHTTPHeaderField: "ETag"), tag.hasPrefix("\"") {
            self = .entityTag(tag)
        } else if let date = response.value(forHTTPHeaderField: "Last-Modified") {
            self = .lastModified(date)
        } else {
            return nil
        }
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
