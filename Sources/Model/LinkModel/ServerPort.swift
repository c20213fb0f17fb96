/// A port at which clients find a server: `8000`, `4433/udp`.
public struct ServerPort: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Its number; never zero.
    public let number: UInt16
    /// Whether it is one of UDP rather than of TCP.
    public let isUDP: Bool

    /// Names a port of TCP, or of UDP.
    public init?(_ number: UInt16, isUDP: Bool = false) {
        guard number > 0 else { return nil }
        self.number = number
        self.isUDP = isUDP
    }

    /// Reads what `description` writes, and `8000/tcp`.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let number = UInt16(first), number > 0 else { return nil }
        switch parts.dropFirst() {
        case [], ["tcp"]: isUDP = false
        case ["udp"]: isUDP = true
        default: return nil
        }
        self.number = number
    }

    /// The port as people write it.
    public var description: String { isUDP ? "\(number)/udp" : "\(number)" }

    /// Reads a number, or a text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let port =
            if let number = try? container.decode(UInt16.self) {
                ServerPort(number)
            } else {
                ServerPort(try container.decode(String.self))
            }
        guard let port else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no port")
        }
        self = port
    }

    /// Writes a port of TCP as a number, and one of UDP as a text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if isUDP {
            try container.encode(description)
        } else {
            try container.encode(number)
        }
    }
}

extension ServerPort {
    /// Why no server can get ready at these ports; nil if one can.
    public static func problem(of ports: [ServerPort], servers: [String]) -> String? {
        guard let port = ports.first, servers.isEmpty else { return nil }
        return "--server-ready \(port) waits for a server of --server, and there is none; a server "
            + "of this host is not waited for"
    }
}
