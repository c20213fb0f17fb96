public import LinuxKernel

/// The Ethernet between a sandbox's app and its far side, as the far side sees it.
public struct FarNetwork: Sendable, Hashable {
    /// The addresses of one family.
    public struct Addresses: Sendable, Hashable {
        /// The far side's address that represents the host: the app's default gateway.
        public var gateway: IPAddress
        /// More addresses that represent the host: as name servers, or for an app that has several
        /// networks, each with its own default gateway.
        public var otherGateways: [IPAddress] = []
        /// The far side's address for servers inside the sandbox; it is not relayed.
        public var server: IPAddress
        /// The far side's address for the captive portal's server, which is not relayed either.
        public var portal: IPAddress?
        /// The prefix length.
        public var prefixLength: UInt8

        /// Makes the addresses of a family.
        public init(gateway: IPAddress, server: IPAddress, prefixLength: UInt8) {
            self.gateway = gateway
            self.server = server
            self.prefixLength = prefixLength
        }

        /// All addresses that represent the host.
        var gateways: [IPAddress] { [gateway] + otherGateways }

        /// The addresses that are not relayed.
        var servers: [IPAddress] { [server] + (portal.map { [$0] } ?? []) }
    }

    /// The interface towards the app, which has these addresses.
    public var interface: String
    /// The MTU, in bytes.
    public var mtu: Int
    /// The IPv4 addresses.
    public var ipv4: Addresses
    /// The IPv6 addresses; nil if the kernel has no IPv6.
    public var ipv6: Addresses?
    /// The gateways that the app uses as name servers; each represents the host's name server with
    /// the same index.
    public var nameServers: [IPAddress] = []
    /// Whether nothing slows the app's traffic down: its interface and this one are the ends of one
    /// wire. Then there is no link that hosts could get ahead of.
    public var isDirect = false

    /// Makes a network.
    public init(interface: String, mtu: Int = 1500, ipv4: Addresses, ipv6: Addresses?) {
        self.interface = interface
        self.mtu = mtu
        self.ipv4 = ipv4
        self.ipv6 = ipv6
    }

    /// The available families.
    var families: [Addresses] { [ipv4] + (ipv6.map { [$0] } ?? []) }

    /// Whether `address` is one of the far side's own.
    func isOwn(_ address: IPAddress) -> Bool {
        isGateway(address) || families.contains { $0.servers.contains(address) }
    }

    /// Whether `address` represents the host.
    func isGateway(_ address: IPAddress) -> Bool {
        families.contains { $0.gateways.contains(address) }
    }

    /// Whether the relay carries the app's traffic to `address`.
    public func relays(trafficTo address: IPAddress, _ scope: RelayScope) -> Bool {
        isGateway(address)
            || !isOwn(address) && (scope != .besideRoutedIPv4 || address.isIPv6)
    }

    /// The gateway of the family of `address`.
    func gateway(towards address: IPAddress) -> IPAddress {
        address.isIPv6 ? ipv6?.gateway ?? address : ipv4.gateway
    }
}

/// Which of the app's traffic goes through the relay.
public enum RelayScope: Sendable, Hashable {
    /// TCP, UDP and ICMP echo, except to the sandbox's servers.
    case everything
    /// TCP and UDP; a helper such as pasta carries the rest.
    case transport
    /// All of IPv6; for IPv4, UDP, and TCP to the gateway, which represents the host. The rest of
    /// IPv4 is routed.
    ///
    /// Masquerading would map one UDP port of the app to several, and block answers from hosts
    /// other than the one asked.
    case besideRoutedIPv4
}
