public import LinkModel
public import LinuxKernel

/// A port of the host that leads to a server inside a sandbox: `8080:80`, `127.0.0.1:8080:80`,
/// `[::1]:5353:53/udp`.
public struct PublishedPort: Sendable, Hashable, CustomStringConvertible {
    /// The host's address; nil: both loopbacks.
    public let address: IPAddress?
    /// The host's port; never zero.
    public let hostPort: UInt16
    /// The server's port.
    public let port: ServerPort

    /// Reads what `description` writes; an IPv6 address may lack its brackets.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = ServerPort(String(text[text.index(after: colon)...]))
        else { return nil }
        let left = text[..<colon]
        let start = left.lastIndex(of: ":").map { left.index(after: $0) } ?? left.startIndex
        guard let hostPort = UInt16(left[start...]), hostPort > 0 else { return nil }
        self.port = port
        self.hostPort = hostPort
        guard start > left.startIndex else {
            address = nil
            return
        }
        var host = left[..<left.index(before: start)]
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        guard let address = IPAddress(String(host)) else { return nil }
        self.address = address
    }

    /// Where the host listens.
    var endpoints: [Endpoint] {
        let addresses =
            address.map { [$0] } ?? [IPAddress(ipv4: 0x7f00_0001), IPAddress(ipv6High: 0, low: 1)]
        return addresses.map { Endpoint($0, port: hostPort) }
    }

    /// Whether both want the same port of the host.
    public func collides(with other: PublishedPort) -> Bool {
        port.isUDP == other.port.isUDP && !Set(endpoints).isDisjoint(with: other.endpoints)
    }

    /// The port as people write it.
    public var description: String {
        (address.map { "\(Endpoint($0, port: hostPort))" } ?? "\(hostPort)") + ":\(port)"
    }
}
