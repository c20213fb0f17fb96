public import LinkModel
import LinuxKernel
import TrafficControl

/// A selector as nftables rules for one direction, for a chain of the netdev family.
///
/// It chooses the same packets as `U32Selection`, and more: nftables finds ports after IP options
/// and extension headers. The first matching rule decides.
///
/// The VLAN tag of a packet is usually in its metadata and need not be skipped. It is inside the
/// packet only for outgoing packets, and there nftables finds the same as u32.
public struct NftSelection {
    private let selector: TrafficSelector
    private let direction: Direction

    /// The sets that rules refer to by name, and what their declarations have in braces.
    ///
    /// They spare the kernel many sets without a name: for each it makes up one that no set of the
    /// table has.
    public static let sets: [(name: String, declaration: String)] = [
        ("transports", "type inet_proto; elements = { tcp, udp };"),
        ("icmp_errors", "type icmp_type; elements = { destination-unreachable, time-exceeded };"),
    ]

    /// Plans the rules for packets in `direction`.
    public init(_ selector: TrafficSelector, _ direction: Direction) {
        self.selector = selector
        self.direction = direction
    }

    /// The rules, without `add rule` and the name of the chain.
    ///
    /// - Parameters:
    ///   - chosen: the statement for conditioned packets, such as `fwd to "lc0"`.
    ///   - spared: the statement for packets of an exception, and for neighbour discovery.
    public func rules(chosen: String, spared: String = "accept") -> [String] {
        untaggedRules(chosen: chosen, spared: spared)
            + (direction == .up ? taggedRules(chosen: chosen, spared: spared) : [])
    }

    /// Rules for all packets that the rules of any of these selectors may match, and few others.
    ///
    /// Their number does not grow with that of the selectors, except for different exceptions and
    /// kinds of choice: they are for a chain where a packet that concerns none of many selectors must
    /// not meet all rules.
    public static func guards(
        _ selectors: [TrafficSelector], _ direction: Direction, verdict: String
    ) -> [String] {
        let tagged = direction == .up ? ["meta protocol 8021q \(verdict)"] : []
        return TrafficSelector.joining(selectors).flatMap {
            NftSelection($0, direction).untaggedRules(chosen: verdict, spared: verdict)
        } + tagged
    }

    /// Rules that accept, by their ports alone, packets that the selector does not choose; none if it names
    /// no ports. They spare such packets the other rules, where no other selector may choose them.
    public var accepting: [String] {
        let ports = NftHeader(.ipv4, direction).excluding(selector.included)
        guard let last = ports.last else { return [] }
        // nft 1.0 makes one comparison of two that are adjacent, also if they are for inequality: its
        // rule would accept whatever has one of the ports.
        let verdict = ports.dropLast().reversed().reduce("\(last) accept") { rest, first in
            "\(first) jump { \(rest); }"
        }
        // Other protocols have ports in other places, or none. Two comparisons take less time than a set.
        return ["tcp", "udp"].map { "meta l4proto \($0) \(verdict)" }
    }

    private func untaggedRules(chosen: String, spared: String) -> [String] {
        selector.families.flatMap { family in
            let excepted = selector.exceptions.flatMap { forms(of: $0, family) }
            let left = neighborDiscovery(family) + excepted + laterFragments(family)
            return left.map { rule(family, $0, spared) }
                + forms(of: selector.included, family).map { rule(family, $0, chosen) }
        }
    }

    /// One rule that contains the others, so that untagged packets meet only one more.
    private func taggedRules(chosen: String, spared: String) -> [String] {
        let rules = U32Selection(selector, direction).rules(for: .vlan).map { rule in
            let matches = rule.matches.map { match in
                "@ll,\(Self.taggedHeader + 8 * Int(match.offset)),32 & "
                    + "0x\(String(match.mask, radix: 16)) == 0x\(String(match.value, radix: 16))"
            }
            return (matches + [rule.isChosen ? chosen : spared]).joined(separator: " ")
        }
        guard !rules.isEmpty else { return [] }
        return [
            "meta protocol 8021q @ll,128,16 { 0x0800, 0x86dd } jump { "
                + "\(rules.joined(separator: "; ")); }"
        ]
    }

    /// The offset of the header after a VLAN tag, in bits of the Ethernet frame.
    private static let taggedHeader = 144

    private func rule(_ family: AddressFamily, _ matches: [String], _ verdict: String) -> String {
        // Addresses of a family imply the protocol, and nft then omits it.
        (["meta protocol \(family.nftName)"] + matches + [verdict]).joined(separator: " ")
    }

    /// Matching packets, and ICMP errors about them.
    private func forms(of match: TrafficMatch, _ family: AddressFamily) -> [[String]] {
        let matchesErrors =
            match.to.isEmpty && match.from.isEmpty
            && match.possibleProtocols?.contains(.icmp) ?? true
        let plain = NftHeader(family, direction).matches(match)
        return matchesErrors
            ? plain : plain + NftQuotedHeader(family, direction).matches(match)
    }

    private func neighborDiscovery(_ family: AddressFamily) -> [[String]] {
        let mayMatch = selector.included.possibleProtocols?.contains(.icmp) ?? true
        return family == .ipv6 && mayMatch ? [["icmpv6 type 132-137"]] : []
    }

    /// Fragments without ports, which may belong to an exception.
    private func laterFragments(_ family: AddressFamily) -> [[String]] {
        guard selector.exceptsPortsOfDatagrams, !selector.included.hasPorts else { return [] }
        let isLater = family == .ipv4 ? "ip frag-off & 0x1fff != 0" : "frag frag-off != 0"
        return NftHeader(family, direction).matches(selector.included).map { [isLater] + $0 }
    }
}

/// The headers of a packet, in nft expressions.
private struct NftHeader {
    private let family: AddressFamily
    private let isUp: Bool

    init(_ family: AddressFamily, _ direction: Direction) {
        self.family = family
        isUp = direction == .up
    }

    /// The alternatives; each is a list of comparisons that must all match.
    func matches(_ match: TrafficMatch) -> [[String]] {
        guard match.concerns(family) else { return [] }
        // Addresses first: with several conditions on an interface most packets differ there.
        var common = networks("saddr", isUp ? match.from : match.to)
        common += networks("daddr", isUp ? match.to : match.from)
        let protocols = match.possibleProtocols.map { protocols in
            let isOfPorts = protocols == [.tcp, .udp]
            let numbers = set(protocols.map { "\($0.number(in: family))" })
            return "meta l4proto \(isOfPorts ? "@transports" : numbers)"
        }
        guard match.hasPorts else { return [common + (protocols.map { [$0] } ?? [])] }
        // Then ports, for the same reason: what else has to be asked costs more.
        common += ports(isUp ? "sport" : "dport", match.fromPorts)
        common += ports(isUp ? "dport" : "sport", match.toPorts)
        let complete =
            match.ports.isEmpty
            ? [common] : ["sport", "dport"].map { common + ports($0, match.ports) }
        // Some kernels take the content of a later fragment for ports.
        let unfragmented =
            family == .ipv4
            ? ["ip frag-off & 0x1fff == 0"] : ["exthdr frag missing", "frag frag-off 0"]
        return complete.flatMap { ports in
            unfragmented.map { ports + (protocols.map { [$0] } ?? []) + [$0] }
        }
    }

    /// Comparisons by which ports alone exclude a packet; none if they cannot.
    func excluding(_ match: TrafficMatch) -> [String] {
        if !match.ports.isEmpty {
            return ports("sport", match.ports, isUnequal: true)
                + ports("dport", match.ports, isUnequal: true)
        }
        if !match.toPorts.isEmpty {
            return ports(isUp ? "dport" : "sport", match.toPorts, isUnequal: true)
        }
        return ports(isUp ? "sport" : "dport", match.fromPorts, isUnequal: true)
    }

    private func networks(_ field: String, _ networks: [IPNetwork]) -> [String] {
        let fitting = networks.filter { $0.family == family }
        return fitting.isEmpty
            ? [] : ["\(family.nftName) \(field) \(set(fitting.map(\.description)))"]
    }

    private func ports(
        _ field: String, _ ranges: [PortRange], isUnequal: Bool = false
    ) -> [String] {
        let comparison = isUnequal ? "!= " : ""
        return ranges.isEmpty
            ? [] : ["th \(field) \(comparison)\(set(ranges.map(\.description)))"]
    }
}

/// The headers that an ICMP error quotes from a packet of the other direction, by their offset
/// after the error's own header.
private struct NftQuotedHeader {
    private let family: AddressFamily
    private let isUp: Bool

    init(_ family: AddressFamily, _ direction: Direction) {
        self.family = family
        // The quoted packet had the opposite direction.
        isUp = direction == .down
    }

    func matches(_ match: TrafficMatch) -> [[String]] {
        guard match.concerns(family) else { return [] }
        var common = [
            family == .ipv4
                ? "icmp type @icmp_errors" : "icmpv6 type < 128"
        ]
        if match.hasPorts, family == .ipv4 { common.append("@th,64,8 0x45") }
        if let protocols = match.possibleProtocols {
            let numbers = protocols.map { "\($0.number(in: family))" }
            common.append("@th,\(family == .ipv4 ? 136 : 112),8 \(set(numbers))")
        }
        common += networks(family == .ipv4 ? 160 : 128, isUp ? match.from : match.to)
        common += networks(family == .ipv4 ? 192 : 256, isUp ? match.to : match.from)
        let (source, destination) = family == .ipv4 ? (224, 240) : (384, 400)
        common += ports(isUp ? source : destination, match.fromPorts)
        common += ports(isUp ? destination : source, match.toPorts)
        guard !match.ports.isEmpty else { return [common] }
        return [source, destination].map { common + ports($0, match.ports) }
    }

    private func networks(_ bit: Int, _ networks: [IPNetwork]) -> [String] {
        let fitting = networks.filter { $0.family == family }
        guard !fitting.isEmpty else { return [] }
        return ["@th,\(bit),\(family.addressBits) \(set(fitting.map(\.hexadecimalRange)))"]
    }

    private func ports(_ bit: Int, _ ranges: [PortRange]) -> [String] {
        ranges.isEmpty ? [] : ["@th,\(bit),16 \(set(ranges.map(\.description)))"]
    }
}

/// One value, or a set that matches any of several.
private func set(_ values: [String]) -> String {
    values.count == 1 ? values[0] : "{ \(values.joined(separator: ", ")) }"
}

extension AddressFamily {
    fileprivate var nftName: String { self == .ipv4 ? "ip" : "ip6" }
}

extension IPNetwork {
    /// The first and the last address as numbers, for nft's raw comparisons.
    fileprivate var hexadecimalRange: String {
        let bytes = address.bytes
        let last = bytes.enumerated().map { number, byte in
            byte | UInt8(truncatingIfNeeded: 0xff >> min(8, max(0, prefixLength - 8 * number)))
        }
        return isHost
            ? Self.hexadecimal(bytes) : "\(Self.hexadecimal(bytes))-\(Self.hexadecimal(last))"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        "0x"
            + bytes.map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }.joined()
    }
}
