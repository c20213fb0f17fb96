import Foundation
import FoundationNetworking
import HTTPTransport

extension ExchangeRequest {
    /// The exchange for `request` of a task.
    ///
    /// - Parameter body: The body of an upload; nil for that of the request.
    ///
    /// - Throws: `.unsupportedURL` if it is not HTTP; `.requestBodyStreamExhausted` for a stream as
    ///   a body, which could not be sent again.
    init(
        _ request: URLRequest, _ configuration: NetworkSession.Configuration, body: Body?
    ) throws(URLError) {
        guard let url = request.url, ["http", "https"].contains(url.scheme?.lowercased()) else {
            throw URLError(.unsupportedURL, "It is no URL of HTTP.", url: request.url)
        }
        guard body != nil || request.httpBodyStream == nil else {
            throw URLError(
                .requestBodyStreamExhausted,
                "A stream cannot be sent again; use an upload task with a file.", url: url)
        }
        self.init(url: Self.address(of: url))
        method = request.httpMethod ?? "GET"
        if let body {
            self.body = body
        } else if let data = request.httpBody {
            self.body = .bytes([UInt8](data))
        }
        headers = Self.headers(request, configuration, hasBody: body != nil)
        decodesBody = headers.value("Accept-Encoding") == nil
        // A request whose limit is the default defers to the session.
        let own = request.timeoutInterval
        idleLimit = TimeLimit.ofRequest(
            own == TimeLimit.ofRequests ? configuration.timeoutIntervalForRequest : own)
        certificates = configuration.certificates
    }

    /// Resolvers know `localhost` without a dot at the end.
    private static func address(of url: URL) -> String {
        guard let host = url.host, host.hasSuffix("."), LocalHost.contains(host),
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url.absoluteString }
        parts.host = String(host.dropLast())
        return parts.string ?? url.absoluteString
    }

    private static func headers(
        _ request: URLRequest, _ configuration: NetworkSession.Configuration, hasBody: Bool
    ) -> [Header] {
        var headers = (request.allHTTPHeaderFields ?? [:]).map { Header($0.key, $0.value) }
        func addUnlessSet(_ name: String, _ value: String?) {
            guard let value, headers.value(name) == nil else { return }
            headers.append(Header(name, value))
        }
        for (name, value) in configuration.additionalHeaders { addUnlessSet(name, value) }
        addUnlessSet("User-Agent", userAgent)
        if let url = request.url, request.httpShouldHandleCookies {
            addUnlessSet("Cookie", configuration.cookies(for: url))
        }
        // As URLSession does.
        if request.httpMethod == "POST", hasBody || request.httpBody != nil {
            addUnlessSet("Content-Type", "application/x-www-form-urlencoded")
        }
        // libcurl counts the bytes itself.
        return headers.filter { $0.name.lowercased() != "content-length" }
            .sorted { $0.name < $1.name }
    }

    private static let userAgent = "\(ProcessInfo.processInfo.processName) NetworkSession"
}

extension [ExchangeRequest.Header] {
    /// The value of the first field of this name, in any case.
    func value(_ name: String) -> String? {
        first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
