public import LinuxKernel
import Netlink
import SystemPackage
import Uplink

/// The three network namespaces of a sandbox and the connections between them, as netlink messages.
///
///     app           link                  far
///     eth0 ─── app ═ conditions ═ far ─── far0
///
/// The app and the far side are neighbours on one Ethernet, in the middle of which both directions
/// are conditioned in transit. They are never conditioned on the sender's own egress, where a full
/// queue would push back on the sender instead of dropping packets. The addresses belong to
/// networks reserved for measurements (RFC 2544) and local use, so that they hide no real host.
///
/// Without any conditions `eth0` and `far0` are the ends of one wire, and there is no link between
/// them (`DirectWire`).
///
/// For several interfaces there are as many wires. Each is its own network; a bridge joins them:
///
///     wifi0 ─── app1 ═ conditions ═ far1 ─── port1 ┐
///                                                  ├ trunk ─── far0
///     cell0 ─── app2 ═ conditions ═ far2 ─── port2 ┘
///
/// Several devices are as many app namespaces; each has the ends of its own interfaces' wires.
///
/// The bridge's ports are isolated from each other, and it has static entries for the app's
/// interfaces. So no wire carries another's packets.
public struct SandboxNetwork: Sendable, Hashable {
    /// Addresses of one family.
    public struct Addresses: Sendable, Hashable {
        /// The app's address.
        public let app: IPAddress
        /// The far side's address for the host: `host.linkcond`.
        public let host: IPAddress
        /// The far side's address for the servers: `server.linkcond`.
        public let server: IPAddress
        /// The prefix length of all three.
        public let prefixLength: UInt8
    }

    private let number: UInt16
    /// Whether the host leads to hosts of IPv6.
    var leadsToIPv6 = true

    /// The numbers of networks for measurements (RFC 2544).
    private static let measuring: Range<UInt16> = 0..<256
    /// The networks for documentation (RFC 5737), for hosts that use those for measurements.
    private static let documentation: [UInt32] = [0xcb00_7100, 0xc633_6400, 0xc000_0200]

    /// Makes the network with this number, below 259; nested sandboxes use different ones.
    public init(number: UInt16) {
        self.number = number
    }

    /// IPv4 and IPv6 addresses. The app's are those of a sandbox with one interface.
    public var families: [Addresses] {
        [
            Addresses(app: ipv4(2), host: ipv4(1), server: ipv4(3), prefixLength: 24),
            Addresses(app: ipv6(2), host: ipv6(1), server: ipv6(3), prefixLength: 64),
        ]
    }

    /// The far side's addresses that the command uses as name servers: as many as a C library
    /// queries (`MAXNS` of glibc).
    public var nameServers: [IPAddress] { families.map(\.host) + [ipv4(4)] }

    /// The far side's addresses for the captive portal's server: `portal.linkcond`.
    var portal: [IPAddress] { [ipv4(9), ipv6(9)] }

    private func ipv4(_ last: UInt8) -> IPAddress {
        let network =
            Self.measuring.contains(number)
            ? 198 << 24 | 18 << 16 | UInt32(number) << 8
            : Self.documentation[Int(number) - Self.measuring.count]
        return IPAddress(ipv4: network | UInt32(last))
    }

    /// An address in fd6c:696e:6b63:N::/64, which spells "link c".
    private func ipv6(wire: UInt8 = 0, _ last: UInt8) -> IPAddress {
        IPAddress(
            ipv6High: 0xfd6c_696e_6b63_0000 | UInt64(number),
            low: UInt64(wire) << 48 | UInt64(last))
    }

    /// A network that the caller's host neither has nor reaches otherwise.
    public static func unused() -> SandboxNetwork {
        let session = try? NetlinkSession()
        let own = (try? session?.interfaceAddresses()) ?? []
        let candidates = candidates(beside: own.map { ($0.address, $0.prefixLength) })
        var unused =
            candidates.first { network in
                let length = try? session?.routedPrefixLength(towards: network.ipv4(1))
                return !isParticular(length)
            } ?? candidates[0]
        unused.leadsToIPv6 = HostFamilies.leadToIPv6
        return unused
    }

    /// The networks in which a host with these addresses has none, best first.
    ///
    /// In a nested sandbox they begin with the one after the outer sandbox's: those before are of
    /// further ones, whose hosts the command knows by name.
    static func candidates(
        beside own: [(address: IPAddress, prefixLength: UInt8)]
    ) -> [SandboxNetwork] {
        let measuring = own.filter {
            !$0.address.isIPv6 && $0.address.masked(to: 16) == SandboxNetwork(number: 0).ipv4(0)
        }
        var numbers: [UInt16] = []
        // Another prefix is of a VPN that makes up an address there for each name.
        if measuring.allSatisfy({ (24...28).contains($0.prefixLength) }) {
            let taken = Set(measuring.map { UInt16($0.address.low >> 8 & 0xff) })
            let start = taken.max().map { $0 + 1 } ?? 0
            numbers = (start..<256) + (0..<start).filter { !taken.contains($0) }
        }
        let others = documentation.indices.map { UInt16($0) + 256 }
        return (numbers + others).map(SandboxNetwork.init)
    }

    /// Whether an entry of a routing table is for some networks, rather than for the rest of the
    /// world, or much of it.
    private static func isParticular(_ prefixLength: UInt8?) -> Bool { prefixLength ?? 0 >= 12 }

    /// The far side's interface.
    static let far = Link.WireEnd(name: "far0", index: 102)
    /// The bridge that joins several wires, and its connection to the far side.
    private static let junction = Link.WireEnd(name: "switch", index: 108)
    private static let trunk = Link.WireEnd(name: "trunk", index: 109)

    private static let loopback: Int32 = 1

    /// The wires of interfaces with these names, in order.
    func wires(behind names: [String]) -> [Wire] {
        guard names.count > 1 else {
            let addresses = families.map {
                Wire.Addresses(app: $0.app, gateway: $0.host, prefixLength: $0.prefixLength)
            }
            return names.map { Wire($0, number: 0, families: addresses) }
        }
        return names.enumerated().map { index, name in
            // Each wire has 16 of the 256 IPv4 addresses; the first 16 are the far side's own.
            let number = UInt8(index + 1)
            return Wire(
                name, number: index + 1,
                families: [
                    Wire.Addresses(
                        app: ipv4(number << 4 | 2), gateway: ipv4(number << 4 | 1),
                        prefixLength: 28),
                    Wire.Addresses(
                        app: ipv6(wire: number, 2), gateway: ipv6(wire: number, 1),
                        prefixLength: 80),
                ])
        }
    }

    /// The messages for the link's namespace: make all wires and move their other ends.
    ///
    /// - Parameter absent: Interfaces that the app does not have yet.
    static func linkMessages(_ wires: [Wire], absent: Set<String>, _ namespaces: SandboxNamespaces)
        -> [NetlinkMessage]
    {
        let isSingle = wires.count == 1
        return (isSingle ? [] : junctionMessages(namespaces))
            + wires.flatMap { wire in
                let isAbsent = absent.contains(wire.app.name)
                var ends = [wire.appEnd, wire.farEnd]
                if !isSingle { ends.append(wire.port) }
                return [
                    Link.addVeth(
                        wire.appEnd, to: isAbsent ? wire.away : wire.app,
                        namespace: (isAbsent ? namespaces.link : namespaces.apps[wire.device])
                            .rawValue,
                        address: isSingle ? nil : wire.linkLayerAddress),
                    Link.addVeth(
                        wire.farEnd, to: isSingle ? far : wire.port,
                        namespace: (isSingle ? namespaces.far : namespaces.link).rawValue),
                ] + silenceAndBringUp(ends) + (isSingle ? [] : connect(wire))
            }
    }

    /// The messages for the far side's namespace that join the command to it directly.
    static func directMessages(
        _ wire: Wire, _ namespaces: SandboxNamespaces
    ) -> [NetlinkMessage] {
        [Link.addVeth(far, to: wire.app, namespace: namespaces.apps[wire.device].rawValue)]
    }

    /// The bridge, and its wire to the far side.
    private static func junctionMessages(_ namespaces: SandboxNamespaces) -> [NetlinkMessage] {
        [
            Link.addBridge(junction),
            Link.addVeth(trunk, to: far, namespace: namespaces.far.rawValue),
            Link.join(index: trunk.index, bridge: junction.index),
        ] + silenceAndBringUp([junction, trunk])
    }

    private static func connect(_ wire: Wire) -> [NetlinkMessage] {
        [
            Link.join(index: wire.port.index, bridge: junction.index),
            Link.isolate(index: wire.port.index),
            Neighbour.add(wire.linkLayerAddress, behindPort: wire.port.index),
        ]
    }

    /// The link has no hosts, so nothing must send there.
    private static func silenceAndBringUp(_ ends: [Link.WireEnd]) -> [NetlinkMessage] {
        ends.map { Link.disableAutoconfiguration(index: $0.index) }
            + ends.map { Link.bringUp(index: $0.index) }
    }

    /// The messages for the link's namespace that join the ends of a wire by a bridge.
    static func bridgeMessages(_ wire: Wire) -> [NetlinkMessage] {
        [Link.addBridge(wire.bridge), Link.disableAutoconfiguration(index: wire.bridge.index)]
            + [wire.appEnd, wire.farEnd].map {
                Link.join(index: $0.index, bridge: wire.bridge.index)
            }
            + [Link.bringUp(index: wire.bridge.index)]
    }

    /// The first messages for the app's namespace, before those of the interfaces.
    static var appMessages: [NetlinkMessage] { [Link.bringUp(index: loopback)] }

    /// The messages for the far side.
    func farMessages(_ wires: [Wire]) -> [NetlinkMessage] {
        // No addresses except those given: duplicate address detection for others would take a
        // second.
        let start = [
            Link.bringUp(index: Self.loopback),
            Link.disableAutoconfiguration(index: Self.far.index),
            Link.bringUp(index: Self.far.index),
        ]
        let own = families.flatMap { family in
            [family.host, family.server].map {
                let length = wires.count == 1 ? family.prefixLength : $0.length
                return Address.add($0, prefixLength: length, to: Self.far.index)
            }
        }
        let others = (nameServers.dropFirst(families.count) + portal).map {
            Address.add($0, prefixLength: $0.length, to: Self.far.index)
        }
        let ways = wires.flatMap { wire in
            zip(families, wire.families).flatMap { far, family in
                let isOnly = wires.count == 1
                return (isOnly ? [] : way(to: family, of: wire)) + [
                    // Clients accept answers only from the address that they asked.
                    Route.preferSource(
                        far.server, network: family.gateway.masked(to: family.prefixLength).bytes,
                        prefixLength: family.prefixLength, interface: Self.far.index)
                ]
            }
        }
        return start + own + others + ways
    }

    /// The far side's address on one of several wires, and the route to the app's.
    private func way(to family: Wire.Addresses, of wire: Wire) -> [NetlinkMessage] {
        [
            Address.add(family.gateway, prefixLength: family.prefixLength, to: Self.far.index),
            Neighbour.add(family.app, at: wire.linkLayerAddress, on: Self.far.index),
        ] + (family.app.isIPv6 ? [] : wayToOutside(of: wire))
    }

    /// What the far side may know of the app instead of its IPv4 address. Nobody finds it out: the ports
    /// of the bridge pass no broadcasts.
    private func wayToOutside(of wire: Wire) -> [NetlinkMessage] {
        guard let outside = wire.outside else { return [] }
        return [Neighbour.add(outside, at: wire.linkLayerAddress, on: Self.far.index)]
    }

    /// The far side as the uplink sees it.
    func farNetwork(_ request: SandboxRequest) -> FarNetwork {
        let wires = request.wires(of: self)
        let addresses = families.enumerated().map { index, family in
            var addresses = FarNetwork.Addresses(
                gateway: family.host, server: family.server, prefixLength: family.prefixLength)
            if wires.count > 1 {
                addresses.otherGateways = wires.map { $0.families[index].gateway }
            }
            addresses.otherGateways += nameServers.filter {
                $0 != family.host && $0.isIPv6 == family.host.isIPv6
            }
            return addresses
        }
        var network = FarNetwork(interface: Self.far.name, ipv4: addresses[0], ipv6: addresses[1])
        network.nameServers = nameServers
        network.isDirect = request.hasDirectWire
        network.ipv4.portal = portal[0]
        network.ipv6?.portal = portal[1]
        return network
    }
}

extension IPAddress {
    /// Its length in bits.
    fileprivate var length: UInt8 { isIPv6 ? 128 : 32 }
}
