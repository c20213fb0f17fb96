extension NWEndpoint {
    /// A host, by its name or address.
    public enum Host: Hashable, Sendable, CustomDebugStringConvertible, ExpressibleByStringLiteral {
        /// A name, perhaps to be resolved on one interface.
        case name(String, NWInterface?)
        /// An IPv4 address.
        case ipv4(IPv4Address)
        /// An IPv6 address.
        case ipv6(IPv6Address)

        /// Reads an address, or takes the text for a name.
        public init(_ string: String) {
            if let address = IPv4Address(string) {
                self = .ipv4(address)
            } else if let address = IPv6Address(string) {
                self = .ipv6(address)
            } else {
                self = .name(string, nil)
            }
        }

        /// Reads an address, or takes the text for a name.
        public init(stringLiteral: String) { self.init(stringLiteral) }

        /// The interface to which it is scoped.
        public var interface: NWInterface? {
            switch self {
            case .name(_, let interface): interface
            case .ipv4(let address): address.interface
            case .ipv6(let address): address.interface
            }
        }

        /// The name or the address.
        public var debugDescription: String {
            switch self {
            case .name(let name, let interface):
                interface.map { "\(name)%\($0.name)" } ?? name
            case .ipv4(let address): "\(address)"
            case .ipv6(let address): "\(address)"
            }
        }

        /// Reads an address and scopes it to an interface if it is link-local.
        init(_ address: String, scopedTo interface: NWInterface?) {
            let host = Self(address)
            if case .ipv6(let address) = host, address.isLinkLocal,
                let scoped = IPv6Address(address.rawValue, interface)
            {
                self = .ipv6(scoped)
            } else {
                self = host
            }
        }

        /// The name without its interface, or the address.
        var lookup: String {
            if case .name(let name, _) = self { name } else { debugDescription }
        }

        /// Whether it is this host, which no network leads to: `localhost` and its subdomains (RFC
        /// 6761, section 6.3), or a loopback address.
        var isLocal: Bool {
            switch self {
            case .name(let name, _):
                let name = name.lowercased()
                return name == "localhost" || name.hasSuffix(".localhost")
            case .ipv4(let address): return address.isLoopback
            case .ipv6(let address):
                return address.isLoopback || address.asIPv4?.isLoopback ?? false
            }
        }

        /// Whether an address can be on the same network as one of this host. The kernel sees to
        /// that for IPv4 (`SO_DONTROUTE`), but not for IPv6, whose networks have 64 bits (RFC 4291,
        /// section 2.5.4).
        func mayBeNeighbor(of local: Self) -> Bool {
            guard case .ipv6(let address) = self, case .ipv6(let own) = local else { return true }
            return address.isLoopback || address.isLinkLocal
                || address.rawValue.prefix(8) == own.rawValue.prefix(8)
        }
    }
}
