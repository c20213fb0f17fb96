public import LinuxKernel

/// The SSH connection of the caller.
public struct SSHSession: Sendable, Hashable {
    /// The caller's machine.
    public let client: Endpoint
    /// This host, as the client reaches it.
    public let server: Endpoint

    /// Parses the value of `SSH_CONNECTION`: addresses and ports of client and server.
    public init(_ value: String) throws(SelectorError) {
        let words = value.split(separator: " ").map(String.init)
        guard words.count == 4, let client = Self.endpoint(words[0], words[1]),
            let server = Self.endpoint(words[2], words[3])
        else {
            throw SelectorError(
                "SSH_CONNECTION", "\"\(value)\"",
                "names no session, so that your own SSH connection cannot be kept out of the "
                    + "conditions; --no-ssh-guard goes on without")
        }
        (self.client, self.server) = (client, server)
    }

    private static func endpoint(_ address: String, _ port: String) -> Endpoint? {
        // Packets do not contain the zone of an address.
        guard let address = IPAddress(String(address.prefix { $0 != "%" })),
            let port = UInt16(port), port > 0
        else { return nil }
        return Endpoint(address.unmapped, port: port)
    }

    /// Exempts the session's packets from the conditions.
    public var exception: TrafficMatch {
        var match = TrafficMatch()
        match.to = [IPNetwork(host: client.address)]
        match.from = [IPNetwork(host: server.address)]
        match.toPorts = [PortRange(client.port)]
        match.fromPorts = [PortRange(server.port)]
        match.protocols = [.tcp]
        return match
    }

    /// The value of `SSH_CONNECTION` in `environment` or, since sudo drops it, in that of the
    /// nearest ancestor process that has it; nil if there is none. An empty value means no session.
    public static func variable(in environment: [String: String]) -> String? {
        let name = "SSH_CONNECTION"
        if let value = environment[name] { return value.isEmpty ? nil : value }
        var ancestor = RunningProcess.current.parent
        // The first process was not started by anybody.
        while let process = ancestor, process.number > 1 {
            if let value = process.variable(name) { return value.isEmpty ? nil : value }
            ancestor = process.parent
        }
        return nil
    }
}
