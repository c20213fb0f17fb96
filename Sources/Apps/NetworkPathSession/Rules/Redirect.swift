import Foundation
import FoundationNetworking

/// Where a response leads (RFC 9110, section 15.4).
enum Redirect {
    /// How often a task follows redirects.
    static let limit = 20

    /// Whether a response leads to another request.
    static func isRedirect(_ response: HTTPURLResponse) -> Bool {
        [301, 302, 303, 307, 308].contains(response.statusCode)
            && response.value(forHTTPHeaderField: "Location") != nil
    }

    /// The request that a redirect asks for; nil if the response is none.
    ///
    /// - Throws: `.unsupportedURL` for a URL that is not of HTTP, such as `file:`.
    static func request(
        after response: HTTPURLResponse, to request: NetworkRequest
    ) throws(URLError) -> NetworkRequest? {
        guard isRedirect(response),
            let location = response.value(forHTTPHeaderField: "Location"),
            let url = URL(string: location, relativeTo: request.urlRequest.url)?.absoluteURL
        else { return nil }
        guard ["http", "https"].contains(url.scheme?.lowercased()), url.host != nil else {
            throw URLError(
                .unsupportedURL, "The server redirects to \(url), which is not HTTP.",
                url: request.url)
        }
        var next = request
        next.urlRequest.url = url
        if losesBody(response.statusCode, request.urlRequest.httpMethod ?? "GET") {
            next.urlRequest.httpMethod = "GET"
            next.urlRequest.httpBody = nil
            for name in ["Content-Length", "Content-Type"] {
                next.urlRequest.setValue(nil, forHTTPHeaderField: name)
            }
        }
        // A credential is only for the server that asked for it.
        if url.origin != request.urlRequest.url?.origin {
            for name in ["Authorization", "Cookie"] {
                next.urlRequest.setValue(nil, forHTTPHeaderField: name)
            }
        }
        return next
    }

    /// Whether the next request has no body (as browsers do, Fetch standard, section 4.4).
    static func losesBody(_ status: Int, _ method: String) -> Bool {
        switch status {
        case 301, 302: method == "POST"
        case 303: method != "GET" && method != "HEAD"
        default: false
        }
    }
}

extension URL {
    /// The origin of the URL (RFC 6454, section 4).
    var origin: [String?] {
        let standard = ["http": 80, "https": 443][scheme?.lowercased() ?? ""]
        return [scheme?.lowercased(), host?.lowercased(), (port ?? standard).map(String.init)]
    }
}
