/// The path of an app's traffic to the network, and its cost.
///
/// Theory of operation. Everything comes from the kernel over rtnetlink, without privileges and
/// without a daemon: interfaces, addresses, routes, and the mark that `linkcond override` writes
/// (`NetworkMark`). An interface is available when it is up, has a carrier, and has an address and
/// a default route of the same family. The metrics of the routes determine the order.
///
/// Linux sends traffic that no other route matches over the first interface of each family,
/// whatever an app would prefer. These are `interfacesInUse`, at most one for IPv4 and one for IPv6
/// (more if a route has several hops). The path is expensive or constrained if one of them is. An
/// app that binds its sockets to an interface (`SO_BINDTODEVICE`) may choose among
/// `availableInterfaces`; `limited(to:)` is its path then.
///
/// A host whose interfaces reach only their own networks has no default route. Its path is
/// unsatisfied, as in GLib and NetworkManager. The sandbox of `linkcond run` always has default
/// routes, even without an uplink.
public struct NetworkPath: Hashable, Sendable {
    /// Whether there is a path.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// There is a path.
        case satisfied
        /// There is no path.
        case unsatisfied
        /// There is no path yet, but an interface waits for something such as dialling or a login
        /// (the kernel's state `dormant`), or for a click at a captive portal.
        case requiresConnection
    }

    /// Whether there is a path.
    public let status: Status
    /// Why there is no path; nil if there is one.
    public let unsatisfiedReason: UnsatisfiedReason?
    /// All interfaces: available ones first, in order of preference, the loopback last.
    public let interfaces: [NetworkInterface]
    /// The interfaces that traffic uses unless an app binds its sockets to another.
    public let interfacesInUse: [NetworkInterface]
    /// The next hops, in order of preference.
    public let gateways: [Gateway]
    /// Whether a name server is configured.
    public let supportsDNS: Bool

    /// A next hop.
    public struct Gateway: Hashable, Sendable, CustomStringConvertible {
        /// The address, such as `192.0.2.1` or `fe80::1`.
        public var address: String
        /// The interface that leads to it.
        public var interface: String

        /// Names a gateway.
        public init(address: String, interface: String) {
            self.address = address
            self.interface = interface
        }

        /// Whether the address is IPv6.
        public var isIPv6: Bool { address.contains(":") }

        /// The address, with its interface if it is link-local: `fe80::1%eth0`.
        public var description: String {
            address.hasPrefix("fe80:") ? "\(address)%\(interface)" : address
        }
    }

    /// Makes a path, for the tests of an app. `current()` and `NetworkPathMonitor` supply this
    /// host's.
    ///
    /// - Parameters:
    ///   - interfaces: All interfaces, in order of preference.
    ///   - interfacesInUse: Nil for the first available one.
    ///   - unsatisfiedReason: Nil for the obvious one if no interface is in use.
    public init(
        interfaces: [NetworkInterface], interfacesInUse: [NetworkInterface]? = nil,
        gateways: [Gateway] = [], supportsDNS: Bool = true,
        unsatisfiedReason: UnsatisfiedReason? = nil, isWaiting: Bool = false
    ) {
        let used = interfacesInUse ?? Array(interfaces.filter(\.isAvailable).prefix(1))
        self.interfaces = interfaces
        self.interfacesInUse = used
        self.gateways = gateways
        self.supportsDNS = supportsDNS && !used.isEmpty
        if used.isEmpty {
            let isAnyUp = interfaces.contains { $0.isUp && $0.kind != .loopback }
            self.unsatisfiedReason = unsatisfiedReason ?? (isAnyUp ? .noRoute : .noInterface)
            status = isWaiting ? .requiresConnection : .unsatisfied
        } else {
            self.unsatisfiedReason = nil
            status = .satisfied
        }
    }

    /// The interfaces that lead to the network, in order of preference.
    public var availableInterfaces: [NetworkInterface] { interfaces.filter(\.isAvailable) }

    /// Whether the traffic costs money by volume.
    public var isExpensive: Bool { interfacesInUse.contains(where: \.isExpensive) }

    /// Whether the user wants apps to use little data (Low Data Mode).
    public var isConstrained: Bool { interfacesInUse.contains(where: \.isConstrained) }

    /// Whether it reaches IPv4 hosts.
    public var supportsIPv4: Bool { interfacesInUse.contains(where: \.supportsIPv4) }

    /// Whether it reaches IPv6 hosts.
    public var supportsIPv6: Bool { interfacesInUse.contains(where: \.supportsIPv6) }

    /// Whether the traffic uses an interface of this kind.
    public func usesInterfaceType(_ kind: NetworkInterface.Kind) -> Bool {
        interfacesInUse.contains { $0.kind == kind }
    }
}
