/// What the page answers.
struct PageResponse: Sendable, Hashable {
    /// The statuses in use.
    enum Status: Int, Sendable, Hashable {
        case ok = 200
        case seeOther = 303
        case badRequest = 400
        case forbidden = 403
        case notFound = 404
        case notAllowed = 405
        case conflict = 409
        case tooLarge = 413
        case misdirected = 421

        var phrase: String {
            switch self {
            case .ok: "OK"
            case .seeOther: "See Other"
            case .badRequest: "Bad Request"
            case .forbidden: "Forbidden"
            case .notFound: "Not Found"
            case .notAllowed: "Method Not Allowed"
            case .conflict: "Conflict"
            case .tooLarge: "Content Too Large"
            case .misdirected: "Misdirected Request"
            }
        }
    }

    var status: Status
    var type = "text/html; charset=utf-8"
    var body = ""
    /// Where to go on, for `seeOther`.
    var location: String?

    /// Only the page itself may use anything of it: no script, nothing from elsewhere, no frame.
    private static let policy =
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
        + "frame-ancestors 'none'"

    /// The bytes of the response; the connection ends with it.
    func bytes(withBody hasBody: Bool = true) -> [UInt8] {
        var lines = [
            "HTTP/1.1 \(status.rawValue) \(status.phrase)",
            "Content-Type: \(type)",
            "Content-Length: \(body.utf8.count)",
            "Connection: close",
            "Cache-Control: no-store",
            "Content-Security-Policy: \(Self.policy)",
            "X-Content-Type-Options: nosniff",
            "Referrer-Policy: same-origin",
        ]
        if let location { lines.append("Location: \(location)") }
        if status == .notAllowed { lines.append("Allow: GET, HEAD, POST") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (hasBody ? body : "")).utf8)
    }
}
