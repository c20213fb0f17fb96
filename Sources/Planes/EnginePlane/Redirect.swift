import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import PacketLoop
import TrafficControl

/// The way of one direction's packets from an interface to the engine and back.
///
///     up    stack ─(egress hook)─ lcu5 ── lcu5e ══ engine ── eth0
///     down  eth0 ─(ingress hook)─ lcd5 ── lcd5e ══ engine ── lcd5e ── lcd5 ─(filter)─ eth0
///
/// A packet that goes up leaves by the interface itself, whose queue is as it was. One that comes
/// down is put in at the far end of its wire, so that it arrives at the near one, where a filter
/// has it arrive at the interface. `LoopbackHooks` tells how that of a loopback goes.
struct Redirect: Hashable {
    /// The interface.
    var target: Interface
    /// Its address on the link layer. A packet that does not arrive at this address is not the
    /// host's own, in the eyes of the kernel.
    var address: [UInt8]
    /// The direction.
    var direction: Direction
    /// The number of the conditions among those of the interface.
    var slot = 0

    /// The mark of packets that the engine is done with. The hooks take it away.
    static let mark: UInt32 = 0x1c0d_7181

    /// Whether it is that of the loopback, which has the same index everywhere.
    var isOfLoopback: Bool { target.index == 1 }

    /// The end at which the hooks put packets in.
    var near: String {
        "lc\(direction == .up ? "u" : "d")\(target.index)" + (slot == 0 ? "" : ".\(slot)")
    }

    /// The end at which the engine gets them.
    var far: String { near + "e" }

    /// The ends of the wire as the kernel knows them, once it is there.
    struct Ends: Hashable {
        var near: Int32
        var far: Int32
    }

    /// Where the engine puts packets when it is done.
    func exit(_ ends: Ends) -> MarkedOutput {
        direction == .up
            ? MarkedOutput(interface: target.index, mark: Self.mark, bypassesQdisc: false)
            : MarkedOutput(interface: ends.far, mark: Self.mark, bypassesQdisc: true)
    }

    /// A step of making it.
    struct Step {
        var message: NetlinkMessage
        /// Whether it does no harm if the kernel refuses.
        var isOptional = false
        /// The command that does the same.
        var command: String
    }

    /// Whether the interface has no address on the link layer, as tunnels do, and its packets
    /// begin with the IP header.
    var isBare: Bool { address.isEmpty }

    /// What stands in front of the IP packets.
    var framing: RedirectLoop.Framing {
        guard isBare else { return .ethernet }
        return direction == .up ? .bare : .dressed
    }

    /// What the near end has as its address; nil for any.
    private var nearAddress: [UInt8]? {
        guard direction == .down, !isOfLoopback else { return nil }
        return isBare ? RedirectLoop.standInAddress : address
    }

    /// Whether the near end of a wire may be called so, and is that of linkcond's whatever its
    /// alias says: the index of the interface whose packets it is for.
    static func target(ofNearEnd link: Link) -> Int32? {
        let numbers = link.name.dropFirst(3).split(
            separator: ".", omittingEmptySubsequences: false)
        guard link.isOwn, link.kind == "veth",
            ["lcu", "lcd"].contains(link.name.prefix(3)), numbers.count <= 2,
            numbers.allSatisfy({ UInt32($0) != nil })
        else { return nil }
        return numbers.first.flatMap { Int32($0) }
    }

    /// Makes the wire, by which the kernel gives its ends their indexes, and says whose it is. To be
    /// sent at once: the kernel takes no alias with the message that makes an interface, and one
    /// without could be left behind by who is killed meanwhile.
    func wire(_ mark: RedirectMark) -> [Step] {
        let wire = Link.SilentWire(
            near: near, far: far, group: Link.ownGroup, nearAddress: nearAddress)
        let addressWords =
            nearAddress.map { " address " + $0.map(Self.hexadecimal).joined(separator: ":") } ?? ""
        let rest = "group \(Link.ownGroup) mtu 65535 arp off"
        return [
            Step(
                message: Link.add(wire),
                command: "ip link add \(near)\(addressWords) \(rest) type veth peer name \(far) "
                    + rest),
            Step(
                message: Link.setAlias(name: near, mark.alias),
                command: "ip link set dev \(near) alias \(ShellWord(mark.alias))"),
        ]
    }

    /// Makes the rest.
    func steps(_ ends: Ends) -> [Step] {
        // A kernel without IPv6 refuses, and needs it not.
        var steps = [(near, ends.near), (far, ends.far)].map { name, index in
            Step(
                message: Link.disableAutoconfiguration(index: index), isOptional: true,
                command: "ip link set dev \(name) addrgenmode none")
        }
        if direction == .down, !isOfLoopback {
            let clsact = Qdisc.clsact(on: Interface(index: ends.near, name: near))
            steps.append(Step(message: clsact.add(), command: clsact.tcAddText))
            steps += injections(ends).map { Step(message: $0.add(), command: $0.tcAddText) }
        }
        return steps
            + [(far, ends.far), (near, ends.near)].map { name, index in
                Step(message: Link.bringUp(index: index), command: "ip link set dev \(name) up")
            }
    }

    private func injections(_ ends: Ends) -> [Filter] {
        let protocols: [Filter.NetworkProtocol] = [.ipv4, .ipv6, .vlan]
        return protocols.enumerated().map { number, networkProtocol in
            Filter(
                interface: Interface(index: ends.near, name: near), parent: .clsactIngress,
                preference: UInt16(number + 1), networkProtocol: networkProtocol,
                verdict: .inject(into: target, cookie: Filter.ownCookie))
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
}
