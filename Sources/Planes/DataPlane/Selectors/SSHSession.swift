import FoundationEssentials
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
        var process = ProcessInfo.processInfo.processIdentifier
        while process > 1 {
            if let value = variable(name, ofProcess: process) {
                return value.isEmpty ? nil : value
            }
            guard let parent = parent(of: process), parent != process else { return nil }
            process = parent
        }
        return nil
    }

    private static func variable(_ name: String, ofProcess process: Int32) -> String? {
        let data = FileManager.default.contents(atPath: "/proc/\(process)/environ") ?? Data()
        for entry in data.split(separator: 0) {
            let text = String(decoding: entry, as: UTF8.self)
            if text.hasPrefix(name + "=") { return String(text.dropFirst(name.count + 1)) }
        }
        return nil
    }

    private static func parent(of process: Int32) -> Int32? {
        let data = FileManager.default.contents(atPath: "/proc/\(process)/status") ?? Data()
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            if words.first == "PPid:", words.count == 2 { return Int32(words[1]) }
        }
        return nil
    }
}
