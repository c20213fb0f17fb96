public import LinuxKernel

/// Where a proxy's connection leads: an address, a name, or a Unix socket.
public enum TargetAddress: Sendable, Hashable, CustomStringConvertible {
    /// An address of the network.
    case endpoint(Endpoint)
    /// A name, to be resolved for each connection, and a port.
    case name(String, port: UInt16)
    /// The path of a Unix socket of the host.
    case local(path: String)

    /// The longest name (RFC 1035, section 2.3.4).
    public static let longestName = 253

    /// Reads `db.example:5432`, `192.0.2.1:80`, `[fd00::1]:80` or `unix:/PATH`.
    public init(_ text: String) throws(AddressProblem) {
        if text.hasPrefix("unix:") {
            self = .local(path: try AddressProblem.path(in: text))
            return
        }
        let (host, port) = try AddressProblem.split(text)
        guard port > 0 else { throw AddressProblem(text, "a target has no port 0") }
        try self.init(host: host, port: port)
    }

    /// Makes the target of a host, an address or a name, and a port.
    public init(host: String, port: UInt16) throws(AddressProblem) {
        if let address = IPAddress(host) {
            self = .endpoint(Endpoint(address, port: port))
            return
        }
        let bytes = host.utf8
        let isPlausible = bytes.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") }
        guard (1...Self.longestName).contains(bytes.count), isPlausible, !host.contains(":") else {
            throw AddressProblem(host, "this is neither an address nor the name of a host")
        }
        self = .name(host, port: port)
    }

    /// What `init` reads.
    public var description: String {
        switch self {
        case .endpoint(let endpoint): "\(endpoint)"
        case .name(let name, let port): "\(name):\(port)"
        case .local(let path): "unix:\(path)"
        }
    }

    /// The port; nil for a Unix socket.
    public var port: UInt16? {
        switch self {
        case .endpoint(let endpoint): endpoint.port
        case .name(_, let port): port
        case .local: nil
        }
    }

    /// Whether it means the host itself, on whose loopback it is.
    public var isLoopback: Bool {
        switch self {
        case .endpoint(let endpoint):
            Self.isThisHost(endpoint.address)
        case .name(let name, _):
            // RFC 6761, section 6.3.
            Self.isLocalhost(name)
        case .local: true
        }
    }

    /// Whether connections to an address reach the host that makes them.
    public static func isThisHost(_ address: IPAddress) -> Bool {
        let address = address.unmapped
        // Unspecified addresses mean this host, too (connect(2) of Linux).
        return address.isLoopback || address.low == 0 && address.high == 0
    }

    private static func isLocalhost(_ name: String) -> Bool {
        let name = name.lowercased()
        let bare = name.hasSuffix(".") ? String(name.dropLast()) : name
        return bare == "localhost" || bare.hasSuffix(".localhost")
    }
}

/// An address that cannot be read.
public struct AddressProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with which text, and what is right.
    public let description: String

    init(_ text: String, _ reason: String) { description = "\(text): \(reason)" }

    static func path(in text: String) throws(AddressProblem) -> String {
        let path = String(text.dropFirst("unix:".count))
        guard path.hasPrefix("/") else {
            throw AddressProblem(
                text, "write the whole path of a Unix socket, as in unix:/run/db.sock")
        }
        // unix(7): sun_path has 108 bytes and ends with a zero.
        guard path.utf8.count <= 107, !path.utf8.contains(0) else {
            throw AddressProblem(text, "the path of a Unix socket has at most 107 bytes")
        }
        return path
    }

    /// Splits `HOST:PORT`; an IPv6 address is in brackets, which are dropped.
    static func split(_ text: String) throws(AddressProblem) -> (host: String, port: UInt16) {
        let form = "write HOST:PORT, as in db.example:5432 or [::1]:5432"
        guard let colon = text.lastIndex(of: ":") else { throw AddressProblem(text, form) }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = UInt16(digits)
        else {
            throw AddressProblem(text, "\"\(digits)\" is no port; \(form)")
        }
        var host = text[..<colon]
        if host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
            guard IPAddress(String(host))?.isIPv6 == true else {
                throw AddressProblem(text, "\"\(host)\" is no IPv6 address")
            }
        } else if host.contains(":") {
            throw AddressProblem(text, "write an IPv6 address in brackets, as in [::1]:5432")
        }
        guard !host.isEmpty else { throw AddressProblem(text, "the host is missing; \(form)") }
        return (String(host), port)
    }
}
