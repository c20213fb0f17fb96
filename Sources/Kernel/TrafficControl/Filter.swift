import CNetlink
import LinuxKernel
public import Netlink

/// A filter that compares packets' headers: u32, which every kernel has (matchall and flower may be
/// missing), or a program.
public struct Filter: Sendable, Hashable {
    /// What a packet must have.
    public enum Match: Sendable, Hashable {
        /// u32: all of these 32-bit words of the network header, under masks; an empty list matches
        /// everything.
        case words([U32Match])
        /// What a program decides.
        case program(PacketProgram)
    }

    /// The protocol of the packets that a filter matches.
    public enum NetworkProtocol: UInt16, Sendable, Hashable, CaseIterable {
        case ipv4 = 0x0800
        case ipv6 = 0x86dd
        /// Packets with a VLAN tag, whatever is behind it.
        case vlan = 0x8100
        /// Packets with the tag of a provider's VLAN (802.1ad).
        case providerVLAN = 0x88a8

        /// Those by which conditions choose packets: no condition is for a provider's alone.
        public static let allCases: [Self] = [.ipv4, .ipv6, .vlan]

        /// tc's name.
        var name: String {
            switch self {
            case .ipv4: "ip"
            case .ipv6: "ipv6"
            case .vlan: "802.1Q"
            case .providerVLAN: "802.1ad"
            }
        }
    }

    /// What happens to a matching packet.
    public enum Verdict: Sendable, Hashable {
        /// It goes to a class. Without classes it passes, and meets no further filter.
        case classify(QdiscHandle)
        /// It is redirected to another interface. The cookie marks the action as the caller's.
        case redirect(to: Interface, cookie: [UInt8])
        /// It is redirected to the last of these interfaces, and copied to the others.
        case distribute(to: [Interface], cookie: [UInt8])
        /// It is injected on ingress of another interface. The cookie marks the action as the
        /// caller's.
        case inject(into: Interface, cookie: [UInt8])
    }

    /// The interface it is attached to.
    public var interface: Interface
    /// The qdisc or hook it belongs to.
    public var parent: QdiscHandle
    /// Lower preferences match first. One preference serves one protocol.
    public var preference: UInt16
    /// The protocol of the packets that it matches.
    public var networkProtocol: NetworkProtocol
    /// The packets.
    public var match: Match
    /// What happens to matching packets.
    public var verdict: Verdict

    /// Makes a u32 filter. Without `matches` it matches everything.
    public init(
        interface: Interface, parent: QdiscHandle, preference: UInt16,
        networkProtocol: NetworkProtocol, matches: [U32Match] = [], verdict: Verdict
    ) {
        self.init(
            interface: interface, parent: parent, preference: preference,
            networkProtocol: networkProtocol, match: .words(matches), verdict: verdict)
    }

    /// Makes a filter.
    public init(
        interface: Interface, parent: QdiscHandle, preference: UInt16,
        networkProtocol: NetworkProtocol, match: Match, verdict: Verdict
    ) {
        self.interface = interface
        self.parent = parent
        self.preference = preference
        self.networkProtocol = networkProtocol
        self.match = match
        self.verdict = verdict
    }

    /// Adds the filter; a u32 filter after others of its preference, a program before them.
    /// Equivalent to `tc filter add`.
    public func add() -> NetlinkMessage {
        NetlinkMessage(
            RTM_NEWTFILTER, flags: NLM_F_CREATE | NLM_F_EXCL,
            Self.header(interface.index, parent, preference, networkProtocol.rawValue)
        ) { builder in
            let attributes = match.attributes
            builder.put(Int(TCA_KIND), match.kind)
            builder.nest(Int(TCA_OPTIONS)) { builder in
                if case .classify(let target) = verdict {
                    builder.put(attributes.classID, target.rawValue)
                }
                match.encode(into: builder)
                if let (actions, cookie) = verdict.actions {
                    builder.nest(attributes.actions) { Self.encode(actions, cookie, into: $0) }
                }
            }
        }
    }

    /// Encodes the actions, each with its verdict on the packet.
    private static func encode(
        _ actions: [Verdict.Action], _ cookie: [UInt8], into builder: borrowing MessageBuilder
    ) {
        for (number, (action, verdict, target)) in actions.enumerated() {
            var options = tc_mirred()
            options.action = verdict
            options.eaction = action
            options.ifindex = UInt32(target.index)
            builder.nest(number + 1) { builder in
                builder.put(Int(TCA_ACT_KIND), "mirred")
                builder.put(Int(TCA_ACT_COOKIE), bytes: cookie)
                builder.nest(Int(TCA_ACT_OPTIONS)) { $0.put(Int(TCA_MIRRED_PARMS), options) }
            }
        }
    }

    /// Deletes all filters of a preference, whatever their kind. Equivalent to `tc filter delete …
    /// pref N`.
    ///
    /// - Parameter networkProtocol: the protocol that the preference serves; nil for any.
    public static func delete(
        interface: Interface, parent: QdiscHandle, preference: UInt16,
        networkProtocol: NetworkProtocol? = nil
    ) -> NetlinkMessage {
        NetlinkMessage(
            RTM_DELTFILTER,
            header(interface.index, parent, preference, networkProtocol?.rawValue ?? 0))
    }

    /// Asks for all filters of a hook or qdisc. Equivalent to `tc filter show`.
    public static func list(interface: Int32, parent: QdiscHandle) -> NetlinkMessage {
        NetlinkMessage(RTM_GETTFILTER, header(interface, parent, 0, 0))
    }

    /// The fixed part; the kernel packs preference and protocol into one number.
    static func header(
        _ interface: Int32, _ parent: QdiscHandle, _ preference: UInt16, _ ethertype: UInt16
    ) -> tcmsg {
        var header = tcmsg(interface: interface, parent: parent)
        header.tcm_info = UInt32(preference) << 16 | UInt32(ethertype.bigEndian)
        return header
    }

    /// The equivalent tc command of `add`.
    public var tcAddText: String {
        let verdictText =
            switch verdict {
            case .classify(let target): "flowid \(target)"
            case .redirect(let target, let cookie): Self.text("egress redirect", target, cookie)
            case .distribute(let targets, let cookie):
                (targets.dropLast().map { Self.text("egress mirror", $0, cookie) }
                    + targets.suffix(1).map { Self.text("egress redirect", $0, cookie) })
                    .joined(separator: " ")
            case .inject(let target, let cookie): Self.text("ingress redirect", target, cookie)
            }
        return "tc filter add dev \(interface.shellWord) \(parent.tcParent) pref \(preference) "
            + "protocol \(networkProtocol.name) \(match.tcText) \(verdictText)"
    }

    private static func text(
        _ action: String, _ target: Interface, _ cookie: [UInt8]
    ) -> String {
        "action mirred \(action) dev \(target.shellWord) cookie "
            + cookie.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// The equivalent tc command of `delete`.
    public static func tcDeleteText(
        interface: Interface, parent: QdiscHandle, preference: UInt16,
        networkProtocol: NetworkProtocol
    ) -> String {
        "tc filter del dev \(interface.shellWord) \(parent.tcParent) pref \(preference) "
            + "protocol \(networkProtocol.name)"
    }
}
