/// Where the API listens.
public enum APIAddress: Sendable, Hashable, CustomStringConvertible {
    /// A host's name or address, and a port.
    case tcp(host: String, port: Int)
    /// The path of a Unix socket.
    case unix(String)

    /// Reads `127.0.0.1:8474`, `[::1]:8474`, `localhost:8474` or `unix:/run/api.sock`; nil for
    /// anything else.
    public init?(_ text: String) {
        let prefix = "unix:"
        if text.hasPrefix(prefix) {
            let path = String(text.dropFirst(prefix.count))
            guard !path.isEmpty else { return nil }
            self = .unix(path)
            return
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self = .tcp(host: host, port: Int(port))
    }

    /// Whether only this host's programs reach it.
    public var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _): Self.isLoopback(host)
        }
    }

    /// As it is written.
    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port):
            host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    /// Whether a host's name or address, without brackets, is the loopback interface's whatever a
    /// resolver says.
    package static func isLoopback(_ host: String) -> Bool {
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
