/// A port on which a server listens: `8000`, `4433/udp`.
public struct ServerPort: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Its number; never zero.
    public let number: UInt16
    /// Whether it is a UDP port rather than a TCP port.
    public let isUDP: Bool

    /// Makes a TCP or UDP port; nil for 0.
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

    /// Decodes a number or a string.
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

    /// Encodes a TCP port as a number and a UDP port as a string.
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
    /// Why no server can listen on these ports; nil if one can.
    public static func problem(of ports: [ServerPort], servers: [String]) -> String? {
        guard let port = ports.first, servers.isEmpty else { return nil }
        return "--server-ready \(port) waits for a server of --server, and there is none; a server "
            + "of this host is not waited for"
    }
}
