import DataPlane
import LinkModel

/// The chains that choose the packets of some users, control groups or programs, their owners, of
/// those that the other options choose.
///
///     up ─── owners0_up ─┬─ from a socket of theirs ── owners0_own ── remembered, chosen
///                        ├─ from one of others ── owners0_others ── forgotten, not chosen
///                        └─ from none: chosen if its flow is remembered
///     down ─ owners0_down ── chosen if its flow is remembered
///
/// The kernel knows whose an outgoing packet is by its socket. It does not know for which socket an
/// incoming one is when that passes the hook, nor whose a closed socket was, which still sends what
/// is left. So the flows of the owners' packets are remembered, and these others are chosen by them.
/// The ports of these flows are remembered too: they alone tell most packets of others, and a port is
/// found sooner than a flow.
///
/// A set remembers a flow by the hash of its addresses, ports and protocol. nft has no type for what
/// an ICMP error quotes and cannot list sets of untyped parts; numbers it lists. That the flows of
/// two users have the same hash is as good as impossible: there are 4 thousand million.
///
/// Ports are at fixed places: packets with IPv4 options or IPv6 extension headers are chosen by
/// their socket alone.
///
/// The control group of a socket, and the program that opened it, are known where the host sends,
/// not at the interface: `OwnerMarks` bring them there.
struct OwnerChains {
    private let slot: Int
    private let owners: TrafficMatch
    /// Whether no other conditions may choose what these do not.
    private let isAlone: Bool

    /// Nil if it does not matter to the way whose packets they are.
    init?(of way: HookTable.Way, isAlone: Bool) {
        guard way.selector.choosesOwners else { return nil }
        slot = way.redirect.slot
        owners = way.selector.included
        self.isAlone = isAlone
    }

    /// The chain with a purpose for the conditions in a slot. Rules jump to `up` and `down`.
    static func name(_ purpose: String, slot: Int) -> String { "owners\(slot)_\(purpose)" }

    /// The most flows that are remembered. Packets of further ones are conditioned on their way up.
    private static let mostFlows = 65_535
    /// How long silent flows are remembered. Connections may be silent for long; datagrams and
    /// echo requests belong to nothing that ends.
    private static let memory = (connections: "1h", others: "3m")

    /// Rules for the hook that end the search for most packets of others, which so meet as few rules as
    /// can be: those whose port here is none from which the owners have sent.
    func sparing(_ direction: Direction) -> [String] {
        guard isAlone else { return [] }
        let ofOthers =
            direction == .up ? owned(by: "!=").suffix(1) + ["th sport"] : ["th dport"]
        return ["tcp", "udp"].map {
            "meta l4proto \($0) \(ofOthers.joined(separator: " ")) != @\(portSet) accept"
        }
    }

    /// The chains and their sets.
    ///
    /// - Parameters:
    ///   - up: the statement for packets of the owners; `return` if they are only remembered.
    ///   - down: the statement for packets to the owners; nil without a way down.
    ///   - isLoopback: whether packets to the owners pass the same hook as those from them.
    func parts(up: String, down: String?, isLoopback: Bool = false) -> [NftTable.Part] {
        // Who has an open socket, and is not among the owners, is another. The number is nobody's.
        let sent =
            [(owned(by: "==") + ["goto \(chain("own"))"]).joined(separator: " ")]
            + (isLoopback ? lookups(.down, up) : [])
            + ["meta skuid != \(UInt32.max) goto \(chain("others"))"]
            + lookups(.up, up, isLast: true)
        var chains = [("own", remembering + [up]), ("others", forgetting), ("up", sent)]
        if let down { chains.append(("down", lookups(.down, down, isLast: true))) }
        // Any expression for a number of 32 bits names the type.
        let flows = "typeof tcp sequence; size \(Self.mostFlows);"
        let ports = "type inet_service; size 65536;"
        return [(set, flows), (portSet, ports)].map { name, kind in
            .set(
                name, "\(kind) flags dynamic,timeout; timeout \(Self.memory.others);",
                learnsOf: owners)
        } + chains.map { name, rules in .chain(chain(name), rules) }
    }

    /// What the packets of sockets of the owners have in common, each compared by `comparison`.
    private func owned(by comparison: String) -> [String] {
        var matches: [String] = []
        if !owners.users.isEmpty {
            let users = owners.users.map(\.description).joined(separator: ", ")
            matches.append("meta skuid \(comparison) { \(users) }")
        }
        if !owners.groups.isEmpty || !owners.processes.isEmpty {
            let mark = OwnerMarks.match(slot: slot)
            matches.append("meta mark & \(mark.mask) \(comparison) \(mark.value)")
        }
        return matches
    }

    private var spared: String { isAlone ? "accept" : "return" }
    private func chain(_ purpose: String) -> String { Self.name(purpose, slot: slot) }
    private var set: String { Self.name("flows", slot: slot) }
    private var portSet: String { Self.name("ports", slot: slot) }

    /// Remembers the flow of a packet of the owners.
    private var remembering: [String] {
        AddressFamily.allCases.flatMap { family in
            [("tcp", Self.memory.connections), ("udp", Self.memory.others)].map { proto, time in
                "\(family.plain(proto)) update @\(set) { \(FlowKey(family, .up)) timeout \(time) } "
                    + "update @\(portSet) { th sport timeout \(time) }"
            } + [
                "\(family.plain(family.icmp)) \(family.icmp) type echo-request "
                    + "update @\(set) { \(FlowKey(family, .up, .echo)) timeout \(Self.memory.others) }"
            ]
        }
    }

    /// Forgets a flow whose ports somebody else has now.
    private var forgetting: [String] {
        ["meta l4proto tcp tcp flags & syn == 0 \(spared)"]
            + AddressFamily.allCases.flatMap { family in
                ["tcp", "udp"].map { proto in
                    "\(family.plain(proto)) delete @\(set) { \(FlowKey(family, .up)) }"
                }
            }
    }

    /// Rules for packets of remembered flows: most first, then echoes, and ICMP errors, which quote
    /// a packet of the other direction.
    ///
    /// - Parameter isLast: whether no other rules follow, so that the search may end early.
    private func lookups(
        _ direction: Direction, _ verdict: String, isLast: Bool = false
    ) -> [String] {
        let isKnown = "@\(set) \(verdict)"
        return AddressFamily.allCases.map { family in
            "meta protocol \(family.nftName) \(FlowKey(family, direction)) \(isKnown)"
        } + (isLast ? ["meta l4proto tcp", "meta l4proto udp"].map { "\($0) \(spared)" } : [])
            + AddressFamily.allCases.flatMap { family in
                let echo = "\(family.icmp) type echo-\(direction == .up ? "request" : "reply")"
                let errors = family == .ipv4 ? "icmp type @icmp_errors" : "icmpv6 type < 128"
                return [
                    (echo, FlowKey(family, direction, .echo)),
                    (errors, FlowKey(family, direction.opposite, .quoted)),
                    (errors, FlowKey(family, direction.opposite, .quotedEcho)),
                ].map { match, key in "\(match) \(key) \(isKnown)" }
            }
    }
}

/// The hash of a flow, the same in both directions, in an nft expression.
private struct FlowKey: CustomStringConvertible {
    /// Where the addresses and ports are.
    enum Place {
        case packet, quoted
        /// An echo, whose identifier stands for both ports.
        case echo, quotedEcho
    }

    private var family: AddressFamily
    private var direction: Direction
    private var place: Place

    init(_ family: AddressFamily, _ direction: Direction, _ place: Place = .packet) {
        self.family = family
        self.direction = direction
        self.place = place
    }

    var description: String {
        let isQuoted = place == .quoted || place == .quotedEcho
        let isEcho = place == .echo || place == .quotedEcho
        // A quoted packet follows the eight bytes of the error's own header.
        let (base, start) = isQuoted ? ("@th", 64) : ("@nh", 0)
        let bits = family.bits
        let (source, proto, ports) = family == .ipv4 ? (96, 72, 160) : (64, 48, 320)
        let addresses = [source, source + bits].map { "\(base),\(start + $0),\(bits)" }
        let numbers = (isEcho ? [ports + 32, ports + 32] : [ports, ports + 16]).map {
            "\(base),\(start + $0),16"
        }
        let ends = zip(addresses, numbers).map { "\($0) . \($1)" }
        let parts =
            (direction == .up ? ends.reversed() : ends) + ["\(base),\(start + proto),8"]
        return "jhash \(parts.joined(separator: " . ")) mod 0xffffffff seed 0x1c0d7181"
    }
}

extension AddressFamily {
    fileprivate var nftName: String { self == .ipv4 ? "ip" : "ip6" }
    fileprivate var icmp: String { self == .ipv4 ? "icmp" : "icmpv6" }
    fileprivate var bits: Int { self == .ipv4 ? 32 : 128 }

    /// Matches packets whose transport header follows the shortest IP header.
    fileprivate func plain(_ proto: String) -> String {
        self == .ipv4
            ? "ip hdrlength 5 ip frag-off & 0x1fff == 0 ip protocol \(proto)"
            : "ip6 nexthdr \(proto)"
    }
}
