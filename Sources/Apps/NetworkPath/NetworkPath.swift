/// The way that an app's traffic takes to the network, and what it costs.
///
/// Theory of operation. Everything comes from the kernel, by rtnetlink, without privileges and
/// without a daemon: interfaces, addresses, routes, and the mark that `linkcond override` writes
/// (`NetworkMark`). An interface is available when it is up, has a carrier, an address and a
/// default route of the same family; the metrics of the routes say which one goes first.
///
/// Linux sends what no other route matches by the first interface of each family, whichever an app
/// would have liked. Those are `interfacesInUse`, at most one for IPv4 and one for IPv6 (more if a
/// route has several hops): the path is expensive or constrained when one of them is. An app that
/// binds its sockets to an interface (`SO_BINDTODEVICE`) may choose among `availableInterfaces`;
/// `limited(to:)` is the path that it has then.
///
/// A host whose interfaces lead nowhere but to their own networks has no default route, and its
/// path is unsatisfied, as GLib and NetworkManager have it. The sandbox of `linkcond run` always
/// has default routes, also without an uplink.
public struct NetworkPath: Hashable, Sendable {
    /// Whether there is a way.
    public enum Status: String, Hashable, Sendable, CaseIterable {
        /// There is.
        case satisfied
        /// There is none.
        case unsatisfied
        /// There is none yet, but an interface waits for what would make one, such as a dial-up or
        /// a user who logs in (the kernel's state `dormant`).
        case requiresConnection
    }

    /// Whether there is a way.
    public let status: Status
    /// Why there is none; nil if there is one.
    public let unsatisfiedReason: UnsatisfiedReason?
    /// All interfaces: the available ones first, in order of preference, the loopback last.
    public let interfaces: [NetworkInterface]
    /// Those that the traffic takes unless an app binds its sockets to another.
    public let interfacesInUse: [NetworkInterface]
    /// The next hosts on the way, in order of preference.
    public let gateways: [Gateway]
    /// Whether a name server is configured.
    public let supportsDNS: Bool

    /// A host that passes packets on.
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

        /// Whether it is one of IPv6.
        public var isIPv6: Bool { address.contains(":") }

        /// The address, with its interface where it means nothing without: `fe80::1%eth0`.
        public var description: String {
            address.hasPrefix("fe80:") ? "\(address)%\(interface)" : address
        }
    }

    /// Makes a path of what is known of it. Those of this host come from `current()` and
    /// `NetworkPathMonitor`; this one is for the tests of an app.
    ///
    /// - Parameters:
    ///   - interfaces: all interfaces, in order of preference.
    ///   - interfacesInUse: nil for the first available one.
    ///   - unsatisfiedReason: nil for the obvious one, if no interface is in use.
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

    /// Whether it leads to hosts of IPv4.
    public var supportsIPv4: Bool { interfacesInUse.contains(where: \.supportsIPv4) }

    /// Whether it leads to hosts of IPv6.
    public var supportsIPv6: Bool { interfacesInUse.contains(where: \.supportsIPv6) }

    /// Whether the traffic takes an interface of this kind.
    public func usesInterfaceType(_ kind: NetworkInterface.Kind) -> Bool {
        interfacesInUse.contains { $0.kind == kind }
    }
}
