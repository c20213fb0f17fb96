import LinkModel
import LinuxKernel
import Middleboxes
import Netlink

/// One of the wires between the app and the far side: the names of its ends and its addresses.
struct Wire: Sendable, Hashable {
    /// The addresses of one family.
    struct Addresses: Sendable, Hashable {
        /// The app's address.
        let app: IPAddress
        /// The far side's address, the app's gateway.
        let gateway: IPAddress
        /// The prefix length of both.
        let prefixLength: UInt8
    }

    /// The app's interface.
    let app: Link.WireEnd
    /// Zero for a sandbox's only wire; otherwise counted from 1.
    let number: Int
    /// The index of the device that has the interface.
    var device = 0
    /// IPv4 and IPv6 addresses.
    private(set) var families: [Addresses]
    /// The addresses of the captive portal's server.
    var portal: [IPAddress] = []
    /// Whether a name server is behind it.
    var hasNameServer = true
    /// Whether hosts of IPv6 are behind it.
    var leadsToIPv6 = true

    /// Makes the wire of an interface of the app.
    init(_ name: String, number: Int, families: [Addresses]) {
        self.number = number
        self.families = families
        app = Link.WireEnd(name: name, index: Self.index(number, 1))
    }

    /// The end in the link's namespace on the app's side.
    var appEnd: Link.WireEnd { end("app", 3) }
    /// The end in the link's namespace on the far side's side.
    var farEnd: Link.WireEnd { end("far", 4) }
    /// The bridge that joins both ends for conditioning by qdiscs.
    var bridge: Link.WireEnd { end("wire", 5) }
    /// The port of one of several wires on the bridge that joins them.
    var port: Link.WireEnd { end("port", 6) }
    /// The app's interface while it is not in the app's namespace.
    var away: Link.WireEnd { Link.WireEnd(name: "away\(number)", index: app.index) }

    /// The MAC address of the app's interface, which the far side knows without ARP.
    var linkLayerAddress: [UInt8] { [0x02, 0x6c, 0x63, 0, 0, UInt8(number)] }
    /// The routing table for packets with the app's address on this wire.
    var table: UInt32 { 100 + UInt32(number) }
    /// The priority of the rule for these packets.
    var rulePriority: UInt32 { 1000 + UInt32(number) }

    /// The addresses on the two sides of what stands in the middle. No other host has the one
    /// outside.
    var place: MiddleboxPlace? {
        guard let app = families.map(\.app).first(where: { !$0.isIPv6 }) else { return nil }
        return MiddleboxPlace(
            inside: app, outside: IPAddress(ipv4: UInt32(truncatingIfNeeded: app.low) + 3),
            portal: portal, hasNameServer: hasNameServer,
            leadsToIPv6: leadsToIPv6)
    }

    /// The address that the far side may know instead of the app's of IPv4.
    var outside: IPAddress? { place?.outside }

    /// The wire with those addresses alone that a network has; nil: with all.
    func limited(to family: NetworkFamily?) -> Wire {
        guard let family else { return self }
        var wire = self
        wire.families = families.filter { $0.app.isIPv6 ? family.hasIPv6 : family.hasIPv4 }
        return wire
    }

    /// The wire with those addresses alone that another one of the same interface has not.
    func without(_ other: Wire) -> Wire {
        var wire = self
        wire.families = families.filter { !other.families.contains($0) }
        return wire
    }

    private func end(_ name: String, _ role: Int32) -> Link.WireEnd {
        Link.WireEnd(
            name: number == 0 ? name : "\(name)\(number)", index: Self.index(number, role))
    }

    /// Indices are unique within a namespace and differ from those of `SandboxNetwork`.
    private static func index(_ number: Int, _ role: Int32) -> Int32 {
        100 + 10 * Int32(number) + role
    }
}
