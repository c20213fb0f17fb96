import LinuxKernel
import Netlink

/// One of the wires between the app and the far side: what its ends are called, and the addresses
/// on it.
struct Wire: Sendable, Hashable {
    /// The addresses of one family.
    struct Addresses: Sendable, Hashable {
        /// The app's.
        let app: IPAddress
        /// The far side's, by which the app reaches everything else.
        let gateway: IPAddress
        /// Bits that both have in common.
        let prefixLength: UInt8
    }

    /// The app's interface.
    let app: Link.WireEnd
    /// Zero for the only wire of a sandbox; of several, the first has 1.
    let number: Int
    /// Addresses of IPv4 and IPv6.
    let families: [Addresses]

    /// Describes the wire behind an interface of the app.
    init(_ name: String, number: Int, families: [Addresses]) {
        self.number = number
        self.families = families
        app = Link.WireEnd(name: name, index: Self.index(number, 1))
    }

    /// The end in the link's namespace toward the app.
    var appEnd: Link.WireEnd { end("app", 3) }
    /// The end in the link's namespace toward the far side.
    var farEnd: Link.WireEnd { end("far", 4) }
    /// What joins both ends where qdiscs do the conditioning.
    var bridge: Link.WireEnd { end("wire", 5) }
    /// Where one of several wires ends at the switch that joins them.
    var port: Link.WireEnd { end("port", 6) }
    /// The app's interface while the app does not have it.
    var away: Link.WireEnd { Link.WireEnd(name: "away\(number)", index: app.index) }

    /// The app's address on the link layer, which the far side knows and need not ask for.
    var linkLayerAddress: [UInt8] { [0x02, 0x6c, 0x63, 0, 0, UInt8(number)] }
    /// The routing table for packets that bear the app's address on this wire.
    var table: UInt32 { 100 + UInt32(number) }
    /// Where the rule for these packets stands among others.
    var rulePriority: UInt32 { 1000 + UInt32(number) }

    private func end(_ name: String, _ role: Int32) -> Link.WireEnd {
        Link.WireEnd(
            name: number == 0 ? name : "\(name)\(number)", index: Self.index(number, role))
    }

    /// Indices do not repeat in a namespace, nor with those of `SandboxNetwork`.
    private static func index(_ number: Int, _ role: Int32) -> Int32 {
        100 + 10 * Int32(number) + role
    }
}
