public import LinkModel
import LinuxKernel
import TrafficControl

/// A selector as nftables rules for one direction, for a chain of the netdev family.
///
/// The same choice as `U32Selection`, and more: nftables finds ports behind options and extension
/// headers. Of the rules the first that matches decides.
///
/// The VLAN tag of a packet is usually beside it, where nobody has to skip it. Within the packet it
/// is only on the way out, and there nftables finds what u32 finds.
public struct NftSelection {
    private let selector: TrafficSelector
    private let direction: Direction

    /// Plans the rules for packets on their way in `direction`.
    public init(_ selector: TrafficSelector, _ direction: Direction) {
        self.selector = selector
        self.direction = direction
    }

    /// The rules, without `add rule` and the name of the chain.
    ///
    /// - Parameters:
    ///   - chosen: what is done with packets that are conditioned, such as `fwd to "lc0"`.
    ///   - spared: what is done with packets that an exception names, and with neighbour
    ///     discovery.
    public func rules(chosen: String, spared: String = "accept") -> [String] {
        selector.families.flatMap { family in
            let excepted = selector.exceptions.flatMap { forms(of: $0, family) }
            return (neighborDiscovery(family) + excepted).map { rule(family, $0, spared) }
                + laterFragments(family).map { rule(family, $0, spared) }
                + forms(of: selector.included, family).map { rule(family, $0, chosen) }
        } + (direction == .up ? taggedRules(chosen: chosen, spared: spared) : [])
    }

    /// One rule that holds others, so that packets without a tag meet but one more.
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

    /// Where what a tag carries begins, in bits of the Ethernet frame.
    private static let taggedHeader = 144

    private func rule(_ family: AddressFamily, _ matches: [String], _ verdict: String) -> String {
        // Addresses of a family say the same, and nft leaves it out then.
        (["meta protocol \(family.nftName)"] + matches + [verdict]).joined(separator: " ")
    }

    /// Packets that match, and errors about such.
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

    /// Fragments without ports, which may belong to what is excepted.
    private func laterFragments(_ family: AddressFamily) -> [[String]] {
        guard selector.exceptsPortsOfDatagrams, !selector.included.hasPorts else { return [] }
        let isLater = family == .ipv4 ? "ip frag-off & 0x1fff != 0" : "frag frag-off != 0"
        return NftHeader(family, direction).matches(selector.included).map { [isLater] + $0 }
    }
}

/// The header of a packet, in words of nft.
private struct NftHeader {
    private let family: AddressFamily
    private let isUp: Bool

    init(_ family: AddressFamily, _ direction: Direction) {
        self.family = family
        isUp = direction == .up
    }

    /// The alternatives, each of which is several comparisons that all have to match.
    func matches(_ match: TrafficMatch) -> [[String]] {
        guard match.concerns(family) else { return [] }
        // Addresses first: with several conditions on an interface most packets differ there.
        var common = networks("saddr", isUp ? match.from : match.to)
        common += networks("daddr", isUp ? match.to : match.from)
        if match.hasPorts, family == .ipv4 { common.append("ip frag-off & 0x1fff == 0") }
        if let protocols = match.possibleProtocols {
            common.append("meta l4proto \(set(protocols.map { "\($0.number(in: family))" }))")
        }
        let near = ports(isUp ? "sport" : "dport", match.fromPorts)
        let far = ports(isUp ? "dport" : "sport", match.toPorts)
        guard !match.ports.isEmpty else { return [common + near + far] }
        return ["sport", "dport"].map { common + near + far + ports($0, match.ports) }
    }

    private func networks(_ field: String, _ networks: [IPNetwork]) -> [String] {
        let fitting = networks.filter { $0.family == family }
        return fitting.isEmpty
            ? [] : ["\(family.nftName) \(field) \(set(fitting.map(\.description)))"]
    }

    private func ports(_ field: String, _ ranges: [PortRange]) -> [String] {
        ranges.isEmpty ? [] : ["th \(field) \(set(ranges.map(\.description)))"]
    }
}

/// The header that an ICMP error quotes of a packet on the other way, by its place behind the
/// error's own header.
private struct NftQuotedHeader {
    private let family: AddressFamily
    private let isUp: Bool

    init(_ family: AddressFamily, _ direction: Direction) {
        self.family = family
        // The packet went the other way.
        isUp = direction == .down
    }

    func matches(_ match: TrafficMatch) -> [[String]] {
        guard match.concerns(family) else { return [] }
        var common = [
            family == .ipv4
                ? "icmp type { destination-unreachable, time-exceeded }" : "icmpv6 type < 128"
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

/// One value, or several of which one has to fit.
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
