import LinuxKernel

/// What the server of a captive portal answers: its page to those who ask for that, and a redirect
/// there to all others, whatever they ask for.
///
/// So programs that look for portals find one: those of Android, Apple, Firefox, NetworkManager and
/// Windows ask for an address whose answer they know, and get another.
struct PortalPage: Sendable {
    /// What is to be done with a request.
    enum Reading: Sendable, Hashable {
        /// More must come.
        case incomplete
        /// The response, and whether somebody has clicked.
        case answered([UInt8], isClick: Bool)
    }

    /// The address of the portal that the client uses.
    let address: IPAddress

    /// The name of the portal inside.
    static let name = "portal.linkcond"
    /// What the button asks for.
    static let button = "/open"
    /// Enough for the cookies and the like that browsers send.
    static let longestHead = 16_384

    private var host: String { address.isIPv6 ? "[\(address)]" : "\(address)" }

    /// Reads what a client has sent so far (RFC 9112). Bodies do not matter.
    func reading(_ bytes: [UInt8]) -> Reading {
        guard let lines = Self.head(of: bytes) else {
            guard bytes.count > Self.longestHead else { return .incomplete }
            return .answered(
                response("431 Request Header Fields Too Large", Self.note("That is too long.")),
                isClick: false)
        }
        let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard words.count == 3, words[2].hasPrefix("HTTP/") else {
            return .answered(
                response("400 Bad Request", Self.note("That is no request.")), isClick: false)
        }
        let (method, isHead) = (words[0], words[0] == "HEAD")
        guard isOwn(lines.dropFirst()) else {
            return .answered(
                response(
                    "302 Found", Self.note("This network wants you to log in."),
                    ["Location: http://\(host)/"], withBody: !isHead), isClick: false)
        }
        switch (method, words[1].prefix { $0 != "?" }) {
        case ("POST", Self.button[...]):
            return .answered(
                response("200 OK", Self.note("You are online.")), isClick: true)
        case ("GET", "/"), ("HEAD", "/"):
            return .answered(response("200 OK", Self.page, withBody: !isHead), isClick: false)
        default:
            return .answered(
                response("404 Not Found", Self.note("There is no such page."), withBody: !isHead),
                isClick: false)
        }
    }

    /// Whether a request is for the portal itself.
    private func isOwn(_ headers: ArraySlice<String>) -> Bool {
        let hosts = headers.filter { $0.lowercased().hasPrefix("host:") }.map { line in
            line.dropFirst(5).lowercased().filter { $0 != " " && $0 != "\t" }
        }
        guard hosts.count == 1 else { return false }
        return [host, Self.name].flatMap { [$0, $0 + ":80"] }.contains(hosts[0])
    }

    /// The lines up to the empty one; nil if that has not come. Line ends may lack the CR.
    private static func head(of bytes: [UInt8]) -> [String]? {
        var lines: [String] = []
        var start = 0
        for (index, byte) in bytes.prefix(longestHead).enumerated()
        where byte == UInt8(ascii: "\n") {
            var line = bytes[start..<index]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            start = index + 1
            if line.isEmpty {
                // Empty lines before a request are ignored (section 2.2).
                if lines.isEmpty { continue }
                return lines
            }
            lines.append(String(decoding: line, as: UTF8.self))
        }
        return nil
    }

    /// A response; the connection ends with it. Nobody may keep it for later.
    private func response(
        _ status: String, _ body: String, _ headers: [String] = [], withBody: Bool = true
    ) -> [UInt8] {
        let lines =
            [
                "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8",
                "Content-Length: \(body.utf8.count)", "Cache-Control: no-store",
                "Connection: close",
            ] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (withBody ? body : "")).utf8)
    }

    private static let page = document(
        "<h1>Welcome</h1>\n<p>This is the captive portal of linkcond.</p>\n"
            + "<form method=\"post\" action=\"\(button)\">\n"
            + "<button type=\"submit\">Go online</button>\n</form>")

    private static func note(_ text: String) -> String { document("<h1>\(text)</h1>") }

    private static func document(_ body: String) -> String {
        "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
            + "<meta name=\"viewport\" content=\"width=device-width\">\n"
            + "<title>Captive portal</title>\n<link rel=\"icon\" href=\"data:,\">\n"
            + "\(body)\n</html>\n"
    }
}
