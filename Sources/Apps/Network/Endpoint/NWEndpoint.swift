public import FoundationEssentials

/// An end of a connection.
public enum NWEndpoint: Hashable, Sendable, CustomDebugStringConvertible {
    /// A host and a port.
    case hostPort(host: Host, port: Port)
    /// A Bonjour service. Connections to one fail, since nothing resolves it here.
    case service(name: String, type: String, domain: String, interface: NWInterface?)
    /// The path of a Unix domain socket.
    case unix(path: String)
    /// A URL, whose host and port count.
    case url(URL)

    /// The interface to which it is scoped.
    public var interface: NWInterface? {
        switch self {
        case .hostPort(let host, _): host.interface
        case .service(_, _, _, let interface): interface
        case .unix, .url: nil
        }
    }

    /// The usual text form, such as `192.0.2.1:80` or `fd00::1.80`.
    public var debugDescription: String {
        switch self {
        case .hostPort(.ipv6(let address), let port): "\(address).\(port)"
        case .hostPort(let host, let port): "\(host):\(port)"
        case .service(let name, let type, let domain, _): "\(name).\(type).\(domain)"
        case .unix(let path): path
        case .url(let url): url.absoluteString
        }
    }

    /// The host and the port that it names; nil for a service and a Unix domain socket.
    var target: (host: Host, port: Port)? {
        switch self {
        case .hostPort(let host, let port): (host, port)
        case .url(let url):
            url.host.flatMap { host in
                let known = Port.standard(url.scheme ?? "")
                let port = url.port.flatMap { Port(rawValue: UInt16(clamping: $0)) } ?? known
                return port.map { (Host(host.trimmingBrackets), $0) }
            }
        case .service, .unix: nil
        }
    }
}

extension String {
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
