import DataPlane
import LinkModel
import LinuxKernel
import Netlink
import PacketLoop
import SystemPackage
import TrafficControl

/// The path of one direction's packets from an interface to the engine and back.
///
///     up    stack ─(egress hook)─ lcu5 ── lcu5e ══ engine ── eth0
///     down  eth0 ─(ingress hook)─ lcd5 ── lcd5e ══ engine ── lcd5e ── lcd5 ─(filter)─ eth0
///
/// A packet going up leaves through the interface itself, whose queue is unchanged. A packet going
/// down is sent into the far end of its veth pair, so that it arrives at the near end, where a
/// filter injects it into the interface. `LoopbackHooks` describes the path on a loopback.
struct Redirect: Hashable {
    /// The interface.
    var target: Interface
    /// Its link-layer address. The kernel treats packets to another address as not its own.
    var address: [UInt8]
    /// The direction.
    var direction: Direction
    /// The slot of the conditions on the interface.
    var slot = 0

    /// Those of all directions of a request.
    static func all(of request: ApplyRequest, on link: Link, slot: Int) -> [Redirect] {
        Direction.allCases.filter(request.directions.contains).map { direction in
            Redirect(
                target: Interface(index: link.index, name: link.name), address: link.address,
                direction: direction, slot: slot)
        }
    }

    /// The mark of packets that the engine has handled. The hooks clear it.
    static let mark: UInt32 = 0x1c0d_7181

    /// Whether the interface is the loopback, which has the same index in every namespace.
    var isOfLoopback: Bool { target.index == 1 }

    /// The end into which the hooks redirect packets.
    var near: String {
        "lc\(direction == .up ? "u" : "d")\(target.index)" + (slot == 0 ? "" : ".\(slot)")
    }

    /// The end at which the engine receives them.
    var far: String { near + "e" }

    /// The ends of the existing veth pair, by kernel index.
    struct Ends: Hashable {
        var near: Int32
        var far: Int32
    }

    /// Where the engine sends packets that it has handled.
    func exit(_ ends: Ends) -> MarkedOutput {
        direction == .up
            ? MarkedOutput(interface: target.index, mark: Self.mark, bypassesQdisc: false)
            : MarkedOutput(interface: ends.far, mark: Self.mark, bypassesQdisc: true)
    }

    /// A step of creating it.
    struct Step {
        var message: NetlinkMessage
        /// Whether it is harmless if the kernel refuses.
        var isOptional = false
        /// The equivalent command.
        var command: String
    }

    /// Whether the interface has no link-layer address, like a tunnel, so that its packets begin
    /// with the IP header.
    var isBare: Bool { address.isEmpty }

    /// The header in front of the IP packets.
    var framing: RedirectLoop.Framing {
        guard isBare else { return .ethernet }
        return direction == .up ? .bare : .dressed
    }

    /// The address that the near end needs; nil for any.
    private var nearAddress: [UInt8]? {
        direction == .down && isBare ? RedirectLoop.standInAddress : nil
    }

    /// Whether packets to the interface's address have to count as for this host where they arrive
    /// at the near end. It must not have that address itself: whoever configures interfaces by
    /// their address would take it for the interface.
    var needsClaim: Bool { direction == .down && !isBare && !isOfLoopback }

    /// The filter that has such a program.
    func claim(_ ends: Ends, _ program: FileDescriptor) -> ProgramFilter {
        ProgramFilter(
            interface: Interface(index: ends.near, name: near), parent: .clsactIngress,
            preference: Self.claimPreference, program: program, name: "linkcond, claim")
    }

    /// The filter as text, for which there is no command.
    var claimText: String {
        "# \(near), ingress, pref \(Self.claimPreference): a program (eBPF) takes packets to the "
            + "address of \(target.name) for this host's"
    }

    private static let claimPreference: UInt16 = 1

    /// The index of the interface that the near end of a veth pair serves, if its name shows that
    /// it is linkcond's, whatever its alias; nil otherwise.
    static func target(ofNearEnd link: Link) -> Int32? {
        let numbers = link.name.dropFirst(3).split(
            separator: ".", omittingEmptySubsequences: false)
        guard link.isOwn, link.kind == "veth",
            ["lcu", "lcd"].contains(link.name.prefix(3)), numbers.count <= 2,
            numbers.allSatisfy({ UInt32($0) != nil })
        else { return nil }
        return numbers.first.flatMap { Int32($0) }
    }

    /// Creates the veth pair, whose indexes the kernel chooses, and sets its alias. Must be sent
    /// together: the kernel ignores an alias in the message that creates an interface, and a killed
    /// process could leave a pair without one behind.
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

    /// Makes the remaining steps.
    func steps(_ ends: Ends) -> [Step] {
        // A kernel without IPv6 refuses this, and does not need it.
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

    /// For what conditions choose, and nothing else: a beacon of the gate has to stay at the near end.
    private func injections(_ ends: Ends) -> [Filter] {
        let protocols: [Filter.NetworkProtocol] = [.ipv4, .ipv6, .vlan, .providerVLAN]
        return protocols.enumerated().map { number, networkProtocol in
            Filter(
                interface: Interface(index: ends.near, name: near), parent: .clsactIngress,
                preference: Self.claimPreference + 1 + UInt16(number),
                networkProtocol: networkProtocol,
                verdict: .inject(into: target, cookie: Filter.ownCookie))
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
}
