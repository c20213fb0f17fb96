import Glibc
import NIOCore

extension SocketAddress {
    /// The address of a host that is known by one.
    ///
    /// - Throws: `NWError.posix(.EADDRNOTAVAIL)` for a name.
    init(_ host: NWEndpoint.Host, _ port: NWEndpoint.Port) throws {
        if case .name = host { throw NWError.posix(.EADDRNOTAVAIL) }
        try self.init(ipAddress: host.lookup, port: Int(port.rawValue))
    }
}

extension NWEndpoint {
    /// The endpoint with a socket's address; nil for an unknown family.
    init?(_ address: SocketAddress) {
        if let path = address.pathname {
            self = .unix(path: path)
            return
        }
        guard let text = address.ipAddress, let number = address.port,
            let port = Port(rawValue: UInt16(clamping: number))
        else { return nil }
        var host = Host(text)
        // A socket for both families sees IPv4 like this.
        if case .ipv6(let address) = host, let mapped = address.asIPv4 { host = .ipv4(mapped) }
        self = .hostPort(host: host, port: port)
    }
}
