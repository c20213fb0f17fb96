/// Traffic that a firewall distinguishes by what the network's side of it uses.
public struct TrafficKind: Sendable, Hashable, Codable {
    /// What carries it.
    public enum Transport: String, Sendable, Hashable, Codable, CaseIterable {
        /// TCP.
        case tcp
        /// UDP. Unless a port says so, DNS (port 53) is not meant: networks without UDP have a
        /// resolver of their own.
        case udp
        /// ICMP and ICMPv6: echo requests as well as errors. Neighbour discovery is not meant.
        case icmp
        /// QUIC: UDP with port 443, and what begins a QUIC connection with other ports.
        case quic
    }

    /// What carries it.
    public var transport: Transport
    /// The first port on the network's side; nil: any.
    public var firstPort: UInt16?
    /// The last of these ports; nil: any.
    public var lastPort: UInt16?

    /// Makes a kind of traffic.
    public init(_ transport: Transport, firstPort: UInt16? = nil, lastPort: UInt16? = nil) {
        self.init(transport: transport, firstPort: firstPort, lastPort: lastPort ?? firstPort)
    }

    /// Makes a kind of traffic from all its properties.
    public init(transport: Transport, firstPort: UInt16?, lastPort: UInt16?) {
        self.transport = transport
        self.firstPort = firstPort
        self.lastPort = lastPort
    }

    /// Reads `udp`, `tcp/22` or `tcp/8000-8100`; nil for anything else.
    public init?(parsing text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let transport = Transport(rawValue: String(parts[0])) else {
            return nil
        }
        guard parts.count == 2 else {
            self.init(transport)
            return
        }
        let ports = parts[1].split(separator: "-", omittingEmptySubsequences: false).map {
            UInt16($0)
        }
        guard [.tcp, .udp].contains(transport), (1...2).contains(ports.count),
            let first = ports[0], let last = ports[ports.count - 1], first > 0, first <= last
        else { return nil }
        self.init(transport, firstPort: first, lastPort: last)
    }

    /// How a profile writes it: `udp`, `tcp/22`, `tcp/8000-8100`.
    public var text: String {
        guard let firstPort, let lastPort else { return transport.rawValue }
        let ports = firstPort == lastPort ? "\(firstPort)" : "\(firstPort)-\(lastPort)"
        return "\(transport)/\(ports)"
    }

    /// Whether everything that `other` means is meant too.
    func includes(_ other: TrafficKind) -> Bool {
        guard transport == other.transport else {
            return transport == .udp && other.transport == .quic && firstPort == nil
        }
        guard let firstPort, let lastPort else {
            // Plain `udp` leaves DNS out.
            return transport != .udp || other.firstPort.map { $0 > 53 } ?? true
                || other.lastPort.map { $0 < 53 } ?? true
        }
        guard let first = other.firstPort, let last = other.lastPort else { return false }
        return firstPort <= first && last <= lastPort
    }
}
