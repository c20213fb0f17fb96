import LinkModel

/// What is at the address at which Firefox looks for captive portals.
package enum PortalFact: Sendable, Hashable {
    /// What is always there.
    case none
    /// A redirect to another address.
    case redirect(String)
    /// Something else, with this status.
    case other(Int)
    /// No answer, or none of HTTP.
    case nothing(String)
    /// It could not be asked.
    case unknown(String)

    package static let name = "detectportal.firefox.com"
    static let request =
        "GET /success.txt HTTP/1.1\r\nHost: \(name)\r\nUser-Agent: linkcond-doctor\r\n"
        + "Accept: */*\r\nConnection: close\r\n\r\n"

    /// Whether somebody holds this host back.
    package var isPortal: Bool {
        switch self {
        case .redirect, .other: true
        case .none, .nothing, .unknown: false
        }
    }

    /// Reads an answer, or its beginning.
    package init(response: [UInt8]) {
        let lines = response.split(
            separator: UInt8(ascii: "\n"), maxSplits: 100, omittingEmptySubsequences: false
        ).map { line in
            let isEnded = line.last == UInt8(ascii: "\r")
            return String(decoding: isEnded ? line.dropLast() : line, as: UTF8.self)
        }
        let status = lines[0].split(separator: " ")
        guard status.count >= 2, status[0].hasPrefix("HTTP/1."), let code = Int(status[1]),
            (100...599).contains(code)
        else {
            self = .nothing(
                response.isEmpty ? "the connection was closed" : "what answers is no HTTP server")
            return
        }
        guard let end = lines.firstIndex(of: "") else {
            self = .nothing("the answer is cut off")
            return
        }
        if (300...399).contains(code) {
            let place = lines[1..<end].first { $0.lowercased().hasPrefix("location:") }
            let value = place?.dropFirst("location:".count).drop { $0 == " " } ?? ""
            self = .redirect(String(value.prefix(200)).printable)
            return
        }
        // The body may be in chunks, whose sizes stand before it.
        let isTrue = lines[(end + 1)...].prefix(2).contains { $0 == "success" }
        self = code == 200 && isTrue ? .none : .other(code)
    }
}
