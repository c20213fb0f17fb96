public import LinuxKernel

/// Where a proxy listens.
public enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// TCP at these endpoints, all with the same port; several for `localhost`.
    case stream([Endpoint])
    /// UDP at these endpoints.
    case datagram([Endpoint])
    /// A Unix socket at a path.
    case local(path: String)

    /// Reads `127.0.0.1:5433`, `[::1]:80`, `localhost:80`, `80` (of both loopbacks),
    /// `udp:127.0.0.1:53` or `unix:/PATH`.
    public init(_ text: String) throws(AddressProblem) {
        if text.hasPrefix("unix:") {
            self = .local(path: try AddressProblem.path(in: text))
        } else if text.hasPrefix("udp:") {
            self = .datagram(try Self.endpoints(String(text.dropFirst("udp:".count)), of: text))
        } else {
            let rest = text.hasPrefix("tcp:") ? String(text.dropFirst("tcp:".count)) : text
            self = .stream(try Self.endpoints(rest, of: text))
        }
    }

    private static func endpoints(
        _ text: String, of whole: String
    ) throws(AddressProblem) -> [Endpoint] {
        let (host, port): (String, UInt16)
        if let number = UInt16(text) {
            (host, port) = ("localhost", number)
        } else {
            (host, port) = try AddressProblem.split(text)
        }
        if host.lowercased() == "localhost" {
            let loopbacks = [IPAddress(ipv4: 0x7f00_0001), IPAddress(ipv6High: 0, low: 1)]
            // Two sockets rarely get the same free port.
            return (port == 0 ? loopbacks.prefix(1) : loopbacks[...]).map {
                Endpoint($0, port: port)
            }
        }
        guard let address = IPAddress(host) else {
            throw AddressProblem(
                whole, "\"\(host)\" is no address of this host; listen at one such as 127.0.0.1")
        }
        return [Endpoint(address, port: port)]
    }

    /// Whether only this host can connect to it.
    public var isWithinHost: Bool {
        switch self {
        case .stream(let endpoints), .datagram(let endpoints):
            endpoints.allSatisfy(\.address.unmapped.isLoopback)
        case .local: true
        }
    }

    /// The same with the port that its socket got.
    public func withPort(_ port: UInt16) -> ListenAddress {
        switch self {
        case .stream(let endpoints): .stream(endpoints.map { Endpoint($0.address, port: port) })
        case .datagram(let endpoints):
            .datagram(endpoints.map { Endpoint($0.address, port: port) })
        case .local: self
        }
    }

    /// What `init` reads.
    public var description: String {
        switch self {
        case .stream(let endpoints): Self.text(endpoints)
        case .datagram(let endpoints): "udp:" + Self.text(endpoints)
        case .local(let path): "unix:\(path)"
        }
    }

    private static func text(_ endpoints: [Endpoint]) -> String {
        endpoints.count > 1 ? "localhost:\(endpoints[0].port)" : "\(endpoints[0])"
    }
}

/// A forwarding on the command line: `LISTEN=TARGET`.
public struct ForwardArgument: Sendable, Hashable {
    /// Where it listens.
    public let address: ListenAddress
    /// Where its connections lead.
    public let target: TargetAddress

    /// Reads `127.0.0.1:5433=db.example:5432`.
    public init(_ text: String) throws(AddressProblem) {
        guard let sign = text.firstIndex(of: "=") else {
            throw AddressProblem(
                text, "write LISTEN=TARGET, as in 127.0.0.1:5433=db.example:5432")
        }
        address = try ListenAddress(String(text[..<sign]))
        target = try TargetAddress(String(text[text.index(after: sign)...]))
        if case .datagram = address, case .local = target {
            throw AddressProblem(text, "UDP does not lead to a Unix socket")
        }
    }
}
