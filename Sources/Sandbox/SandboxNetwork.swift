public import LinuxKernel
public import Netlink
import SystemPackage
import Uplink

/// The three namespaces of a sandbox and what joins them, as netlink messages.
///
///     app           link                  far
///     eth0 ─── app ═ conditions ═ far ─── far0
///
/// The app and the far side are neighbours on one Ethernet, in the middle of which both
/// directions are conditioned in transit: never on the sender's own egress, where a full queue
/// would be told to the sender rather than lose its packets. The addresses belong to networks set
/// aside for measurements (RFC 2544) and local use, so that they hide no real host.
public struct SandboxNetwork: Sendable, Hashable {
    /// Addresses of one family.
    public struct Addresses: Sendable, Hashable {
        /// The command's host.
        public let app: IPAddress
        /// The far side as the host beyond it: `host.linkcond`.
        public let host: IPAddress
        /// The far side as the host of the servers: `server.linkcond`.
        public let server: IPAddress
        /// Bits that all three have in common.
        public let prefixLength: UInt8
    }

    /// Addresses of IPv4 and IPv6.
    public let families: [Addresses]

    /// The network of the sandbox with this number, below 256: sandboxes that are nested have
    /// different ones.
    public init(number: UInt8) {
        let address = { (bytes: [UInt8]) -> IPAddress in
            guard let address = IPAddress(bytes: bytes) else {
                preconditionFailure("an address has 4 or 16 bytes")
            }
            return address
        }
        let ipv4 = { address([198, 18, number, $0]) }
        // fd6c:696e:6b63:N::, which spells "link c".
        let ipv6 = { (last: UInt8) in
            address(
                [0xfd, 0x6c, 0x69, 0x6e, 0x6b, 0x63, 0, number] + [0, 0, 0, 0, 0, 0, 0, last])
        }
        families = [
            Addresses(app: ipv4(2), host: ipv4(1), server: ipv4(3), prefixLength: 24),
            Addresses(app: ipv6(2), host: ipv6(1), server: ipv6(3), prefixLength: 64),
        ]
    }

    /// A network that the caller's host does not already have: in a sandbox within a sandbox,
    /// another one than that of the outer.
    public static func unused() -> SandboxNetwork {
        let taken = Set((try? NetlinkSession().addresses()) ?? [])
        let numbers = (0...UInt8.max).map { SandboxNetwork(number: $0) }
        return numbers.first { network in
            taken.isDisjoint(with: network.families.map(\.app))
        } ?? numbers[0]
    }

    /// The app's interface.
    public static let app = Link.WireEnd(name: "eth0", index: 101)
    /// The far side's interface.
    public static let far = Link.WireEnd(name: "far0", index: 102)
    /// The ends in the link's namespace: toward the app, and toward the far side.
    static let appEnd = Link.WireEnd(name: "app", index: 103)
    static let farEnd = Link.WireEnd(name: "far", index: 104)
    /// What joins the ends where qdiscs do the conditioning.
    static let bridge = Link.WireEnd(name: "wire", index: 105)

    private static let loopback: Int32 = 1

    /// What is sent in the link's namespace: both wires, with their other ends where they belong.
    static func linkMessages(
        app appNamespace: FileDescriptor, far farNamespace: FileDescriptor
    ) -> [NetlinkMessage] {
        [
            Link.addVeth(appEnd, to: app, namespace: appNamespace.rawValue),
            Link.addVeth(farEnd, to: far, namespace: farNamespace.rawValue),
        ]
            // Nobody lives on the link, so nobody speaks there.
            + [appEnd, farEnd].map { Link.disableAutoconfiguration(index: $0.index) }
            + [appEnd, farEnd].map { Link.bringUp(index: $0.index) }
    }

    /// What is sent on the link to join the ends by a switch.
    static var bridgeMessages: [NetlinkMessage] {
        [Link.addBridge(bridge), Link.disableAutoconfiguration(index: bridge.index)]
            + [appEnd, farEnd].map { Link.join(index: $0.index, bridge: bridge.index) }
            + [Link.bringUp(index: bridge.index)]
    }

    /// What is sent in the app's namespace.
    var appMessages: [NetlinkMessage] {
        Self.host(Self.app, families.map { ($0.app, $0.prefixLength) })
            + families.map { Route.addDefault(via: $0.host, on: Self.app.index) }
    }

    /// What is sent on the far side.
    var farMessages: [NetlinkMessage] {
        Self.host(
            Self.far,
            families.flatMap { [($0.host, $0.prefixLength), ($0.server, $0.prefixLength)] })
    }

    /// The far side as the uplink sees it.
    var farNetwork: FarNetwork {
        let addresses = families.map {
            FarNetwork.Addresses(
                gateway: $0.host, server: $0.server, prefixLength: $0.prefixLength)
        }
        return FarNetwork(interface: Self.far.name, ipv4: addresses[0], ipv6: addresses[1])
    }

    private static func host(
        _ end: Link.WireEnd, _ addresses: [(IPAddress, UInt8)]
    ) -> [NetlinkMessage] {
        // No addresses but those given: looking for duplicates of others would take a second.
        [
            Link.bringUp(index: loopback), Link.disableAutoconfiguration(index: end.index),
            Link.bringUp(index: end.index),
        ] + addresses.map { Address.add($0, prefixLength: $1, to: end.index) }
    }
}
