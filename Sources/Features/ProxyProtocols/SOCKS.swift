public import LinuxKernel

/// A request of SOCKS5 (RFC 1928).
public struct SOCKSRequest: Sendable, Hashable {
    /// What the client asks for.
    public enum Command: UInt8, Sendable, Hashable {
        case connect = 1
        case bind = 2
        case associate = 3
    }

    /// What the client asks for.
    public let command: Command
    /// Where to.
    public let target: TargetAddress
}

/// The server's part of the beginning of a SOCKS5 connection; it reads bytes as they arrive.
public struct SOCKSNegotiation: Sendable {
    /// What to do next.
    public enum Step: Sendable, Hashable {
        /// Wait for more bytes.
        case wait
        /// Send this, and ask for the next step.
        case answer([UInt8])
        /// Carry this out; `rest` is the beginning of what follows.
        case request(SOCKSRequest)
        /// Send this and close the connection.
        case refuse([UInt8])
    }

    private static let version: UInt8 = 5
    private static let noAuthentication: UInt8 = 0
    private static let noMethod: UInt8 = 0xff

    /// The bytes that were not read yet.
    public private(set) var rest: [UInt8] = []
    private var hasGreeted = false

    /// Begins.
    public init() {}

    /// Adds bytes of the client.
    public mutating func add(_ bytes: some Sequence<UInt8>) { rest += bytes }

    /// Reads what there is.
    public mutating func next() -> Step {
        hasGreeted ? readRequest() : readGreeting()
    }

    private mutating func readGreeting() -> Step {
        guard let version = rest.first else { return .wait }
        guard version == Self.version else { return .refuse([]) }
        guard rest.count >= 2, rest.count >= 2 + Int(rest[1]) else { return .wait }
        let methods = rest[2..<2 + Int(rest[1])]
        guard methods.contains(Self.noAuthentication) else {
            return .refuse([Self.version, Self.noMethod])
        }
        rest.removeFirst(2 + methods.count)
        hasGreeted = true
        return .answer([Self.version, Self.noAuthentication])
    }

    private mutating func readRequest() -> Step {
        guard rest.count >= 4 else { return .wait }
        guard rest[0] == Self.version else { return .refuse([]) }
        switch SOCKSAddress.read(rest[3...]) {
        case .incomplete: return .wait
        case .unknown: return .refuse(SOCKSReply.addressTypeNotSupported.bytes())
        case .invalid: return .refuse(SOCKSReply.generalFailure.bytes())
        case .target(let target, let length):
            guard let command = SOCKSRequest.Command(rawValue: rest[1]) else {
                return .refuse(SOCKSReply.commandNotSupported.bytes())
            }
            rest.removeFirst(3 + length)
            return .request(SOCKSRequest(command: command, target: target))
        }
    }
}

/// The server's answer to a request (RFC 1928, section 6).
public enum SOCKSReply: UInt8, Sendable, Hashable, CaseIterable {
    case succeeded = 0
    case generalFailure = 1
    case notAllowed = 2
    case networkUnreachable = 3
    case hostUnreachable = 4
    case connectionRefused = 5
    case timeExpired = 6
    case commandNotSupported = 7
    case addressTypeNotSupported = 8

    /// The message with the address that the server uses.
    public func bytes(
        _ endpoint: Endpoint = Endpoint(IPAddress(ipv4: 0), port: 0)
    ) -> [UInt8] {
        [5, rawValue, 0] + SOCKSAddress.bytes(of: endpoint)
    }
}

/// The header of a datagram between a client of SOCKS5 and its server (RFC 1928, section 7).
public struct SOCKSDatagram: Sendable, Hashable {
    /// Where it is to go, or has come from.
    public let target: TargetAddress
    /// Its content.
    public let payload: [UInt8]

    /// Reads one; nil for one that is damaged, or a fragment, which nobody sends.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count > 4, bytes[0] == 0, bytes[1] == 0, bytes[2] == 0,
            case .target(let target, let length) = SOCKSAddress.read(bytes[3...])
        else { return nil }
        self.target = target
        payload = Array(bytes[(3 + length)...])
    }

    /// A datagram for the client, from `sender`.
    public static func bytes(from sender: Endpoint, _ payload: [UInt8]) -> [UInt8] {
        [0, 0, 0] + SOCKSAddress.bytes(of: sender) + payload
    }
}

/// Addresses as SOCKS5 writes them.
enum SOCKSAddress {
    enum Reading {
        case incomplete
        case unknown
        case invalid
        /// The target, and how many bytes it takes.
        case target(TargetAddress, length: Int)
    }

    private enum Kind: UInt8 {
        case ipv4 = 1
        case name = 3
        case ipv6 = 4
    }

    /// Reads one at the beginning of `bytes`.
    static func read(_ bytes: ArraySlice<UInt8>) -> Reading {
        guard let first = bytes.first else { return .incomplete }
        guard let kind = Kind(rawValue: first) else { return .unknown }
        let content = bytes.dropFirst()
        let (skipped, length): (Int, Int)
        switch kind {
        case .ipv4: (skipped, length) = (0, 4)
        case .ipv6: (skipped, length) = (0, 16)
        case .name:
            guard let count = content.first else { return .incomplete }
            (skipped, length) = (1, Int(count))
        }
        let field = content.dropFirst(skipped)
        guard field.count >= length + 2 else { return .incomplete }
        let host = field.prefix(length)
        let port = field.dropFirst(length).prefix(2).reduce(0 as UInt16) { $0 << 8 | UInt16($1) }
        let whole = 1 + skipped + length + 2
        if kind == .name {
            let name = String(decoding: host, as: UTF8.self)
            guard let target = try? TargetAddress(host: name, port: port) else { return .invalid }
            return .target(target, length: whole)
        }
        guard let address = IPAddress(bytes: host) else { return .invalid }
        return .target(.endpoint(Endpoint(address, port: port)), length: whole)
    }

    static func bytes(of endpoint: Endpoint) -> [UInt8] {
        let kind: Kind = endpoint.address.isIPv6 ? .ipv6 : .ipv4
        return [kind.rawValue] + endpoint.address.bytes
            + [UInt8(endpoint.port >> 8), UInt8(truncatingIfNeeded: endpoint.port)]
    }
}
