import NetworkPath

/// What is known of the network that a connection uses, or could use.
public struct NWPath: Equatable, Sendable, CustomDebugStringConvertible {
    /// Whether there is a path.
    public enum Status: Hashable, Sendable {
        /// There is a path.
        case satisfied
        /// There is no path.
        case unsatisfied
        /// There is no path yet, but a connection may bring it about.
        case requiresConnection
    }

    /// Why there is no path.
    public enum UnsatisfiedReason: Hashable, Sendable {
        /// There is no network. The only reason that occurs here.
        case notAvailable
        /// The user has prohibited mobile networks.
        case cellularDenied
        /// The user has prohibited Wi-Fi.
        case wifiDenied
        /// The user has prohibited the local network.
        case localNetworkDenied
        /// A required VPN is not active.
        case vpnInactive
    }

    /// Whether there is a path.
    public let status: Status
    /// The interfaces that a connection may use, in order of preference.
    public let availableInterfaces: [NWInterface]
    /// Whether the traffic costs money by volume.
    public let isExpensive: Bool
    /// Whether the user wants apps to use little data (Low Data Mode).
    public let isConstrained: Bool
    /// Whether it reaches IPv4 hosts.
    public let supportsIPv4: Bool
    /// Whether it reaches IPv6 hosts.
    public let supportsIPv6: Bool
    /// Whether a name server is configured.
    public let supportsDNS: Bool
    /// The next hops.
    public let gateways: [NWEndpoint]
    /// The local end of the connection.
    public let localEndpoint: NWEndpoint?
    /// The other end of the connection.
    public let remoteEndpoint: NWEndpoint?
    private let used: Set<NWInterface.InterfaceType>

    /// Why there is no path.
    public var unsatisfiedReason: UnsatisfiedReason { .notAvailable }

    /// Whether the traffic uses an interface of this kind.
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
        used.contains(type)
    }

    /// One line for people.
    public var debugDescription: String {
        var words = ["\(status)"]
        if let first = availableInterfaces.first { words.append("interface: \(first)") }
        if supportsIPv4 { words.append("ipv4") }
        if supportsIPv6 { words.append("ipv6") }
        if supportsDNS { words.append("dns") }
        if isExpensive { words.append("expensive") }
        if isConstrained { words.append("constrained") }
        return words.joined(separator: ", ")
    }

    init(_ path: NetworkPath, local: NWEndpoint? = nil, remote: NWEndpoint? = nil) {
        status =
            switch path.status {
            case .satisfied: .satisfied
            case .unsatisfied: .unsatisfied
            case .requiresConnection: .requiresConnection
            }
        // The interfaces in use come first; one of them may lead to this host only.
        let available = path.availableInterfaces.filter { !path.interfacesInUse.contains($0) }
        availableInterfaces = (path.interfacesInUse + available).map { NWInterface($0) }
        isExpensive = path.isExpensive
        isConstrained = path.isConstrained
        supportsIPv4 = path.supportsIPv4
        supportsIPv6 = path.supportsIPv6
        supportsDNS = path.supportsDNS
        gateways = path.gateways.map { gateway in
            let interface = path.interfaces.first { $0.name == gateway.interface }
            return .hostPort(
                host: .init(gateway.address, scopedTo: interface.map { NWInterface($0) }),
                port: .any)
        }
        localEndpoint = local
        remoteEndpoint = remote
        used = Set(path.interfacesInUse.map { .init($0.kind) })
    }
}
