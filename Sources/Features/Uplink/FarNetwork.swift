public import LinuxKernel

/// The Ethernet between the app of a sandbox and its far side, as the far side sees it.
public struct FarNetwork: Sendable, Hashable {
    /// The addresses of one family.
    public struct Addresses: Sendable, Hashable {
        /// The far side's address that stands for the host: the app's default gateway.
        public var gateway: IPAddress
        /// The far side's addresses that also stand for the host: as a name server, or if the app
        /// has several networks each with a default gateway of its own.
        public var otherGateways: [IPAddress] = []
        /// The far side's address for servers inside the sandbox, which is not relayed.
        public var server: IPAddress
        /// How many bits of the addresses name the network.
        public var prefixLength: UInt8

        /// Makes the addresses of a family.
        public init(gateway: IPAddress, server: IPAddress, prefixLength: UInt8) {
            self.gateway = gateway
            self.server = server
            self.prefixLength = prefixLength
        }

        /// All addresses that stand for the host.
        var gateways: [IPAddress] { [gateway] + otherGateways }
    }

    /// The interface towards the app, which has the addresses.
    public var interface: String
    /// Its largest IP packet, in bytes.
    public var mtu: Int
    /// The addresses of IPv4.
    public var ipv4: Addresses
    /// Those of IPv6; nil where the kernel has none.
    public var ipv6: Addresses?
    /// The gateways that the app has for name servers, each of which stands for the host's with
    /// the same index.
    public var nameServers: [IPAddress] = []

    /// Makes a network.
    public init(interface: String, mtu: Int = 1500, ipv4: Addresses, ipv6: Addresses?) {
        self.interface = interface
        self.mtu = mtu
        self.ipv4 = ipv4
        self.ipv6 = ipv6
    }

    /// The families that there are.
    var families: [Addresses] { [ipv4] + (ipv6.map { [$0] } ?? []) }

    /// Whether `address` is one of the far side's own.
    func isOwn(_ address: IPAddress) -> Bool {
        isGateway(address) || families.contains { $0.server == address }
    }

    /// Whether `address` stands for the host.
    func isGateway(_ address: IPAddress) -> Bool {
        families.contains { $0.gateways.contains(address) }
    }

    /// Whether the relay has the app's traffic to `address`.
    public func relays(trafficTo address: IPAddress, _ scope: RelayScope) -> Bool {
        isGateway(address)
            || !isOwn(address) && (scope != .besideRoutedIPv4 || address.isIPv6)
    }

    /// The gateway of the family that `address` belongs to.
    func gateway(towards address: IPAddress) -> IPAddress {
        address.isIPv6 ? ipv6?.gateway ?? address : ipv4.gateway
    }
}

/// What of the app's traffic goes through the relay.
public enum RelayScope: Sendable, Hashable {
    /// TCP, UDP and ICMP echo to anywhere but the servers of the sandbox.
    case everything
    /// TCP and UDP; a helper such as pasta carries the rest.
    case transport
    /// All of IPv6, and of IPv4 UDP, and TCP to the gateway, which stands for the host; the rest
    /// of IPv4 is routed.
    ///
    /// Masquerading would show one port of the app as several, and keep answers from others than
    /// who was asked away from it.
    case besideRoutedIPv4
}
