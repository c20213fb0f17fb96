public import LinkModel
public import TrafficControl

/// A selector as rules of packet programs for one direction.
///
/// It chooses the same packets as `U32Selection`, but many addresses and ports cost only a few
/// comparisons, and a range of ports one or two.
public struct ProgramSelection {
    private let selector: TrafficSelector
    private let direction: Direction

    /// Plans the rules for packets in `direction`.
    public init(_ selector: TrafficSelector, _ direction: Direction) {
        self.selector = selector
        self.direction = direction
    }

    /// The packets of a family that are chosen, except the spared ones.
    public func chosen(_ family: AddressFamily) -> [PacketRule] {
        guard selector.families.contains(family) else { return [] }
        return forms(of: selector.included, family)
    }

    /// The packets of a family that belong to an exception or may be a part of such a packet, and
    /// neighbour discovery.
    public func spared(_ family: AddressFamily) -> [PacketRule] {
        guard selector.families.contains(family) else { return [] }
        return neighborDiscovery(family) + laterFragments(family)
            + selector.exceptions.flatMap { forms(of: $0, family) }
    }

    /// Matching packets, their fragments, and ICMP errors about such packets.
    private func forms(of match: TrafficMatch, _ family: AddressFamily) -> [PacketRule] {
        let header = ProgramHeader(family, direction)
        let packets = header.rules(match) + header.rulesOfFragments(match)
        // Errors are ICMP, and so already match where only the protocol is given.
        let matchesErrors =
            match.to.isEmpty && match.from.isEmpty
            && match.possibleProtocols?.contains(.icmp) ?? true
        return matchesErrors
            ? packets : packets + ProgramHeader(quotedIn: family, direction).rules(match)
    }

    private func neighborDiscovery(_ family: AddressFamily) -> [PacketRule] {
        let mayMatch = selector.included.possibleProtocols?.contains(.icmp) ?? true
        guard family == .ipv6, mayMatch else { return [] }
        return [PacketRule([.protocols([.icmp], .ipv6), .field(.ipv6Payload, in: [132...137])])]
    }

    /// Fragments without ports, which may belong to an exception.
    private func laterFragments(_ family: AddressFamily) -> [PacketRule] {
        guard selector.exceptsPortsOfDatagrams, !selector.included.hasPorts else { return [] }
        return ProgramHeader(family, direction).rulesOfFragments(
            selector.included, thatAre: .later)
    }
}

/// The headers of a packet, or those quoted in an ICMP error, as programs see them.
private struct ProgramHeader {
    private let family: AddressFamily
    private let isUp: Bool
    private let offset: Int
    /// What must be true for this header to be present.
    private let before: [PacketRule.Test]

    /// The header of a packet in `direction`.
    init(_ family: AddressFamily, _ direction: Direction) {
        self.family = family
        isUp = direction == .up
        offset = 0
        before = []
    }

    /// The header that an error in `direction` quotes, of a packet in the other direction.
    init(quotedIn family: AddressFamily, _ direction: Direction) {
        self.family = family
        isUp = direction == .down
        before =
            [.protocols([.icmp], family)]
            + (family == .ipv4
                ? [
                    .ipv4WithoutOptions(), .ipv4FirstFragment(),
                    .field(.ipv4Payload, in: [3...3, 11...11]),
                ]
                : [.field(.ipv6Payload, in: [0...127])])
        offset = (family == .ipv4 ? 20 : 40) + 8
    }

    enum Fragments {
        /// Those that are needed to tell whether the packet matches.
        case any
        case later
    }

    /// Unfragmented packets and, with IPv4, fragments.
    func rules(_ match: TrafficMatch) -> [PacketRule] {
        guard let addresses = addresses(match) else { return [] }
        var tests = before + addresses
        if let protocols = match.possibleProtocols {
            tests.append(.protocols(protocols, family, behind: offset))
        }
        if match.hasPorts, family == .ipv4 {
            tests += [.ipv4FirstFragment(behind: offset), .ipv4WithoutOptions(behind: offset)]
        }
        return [PacketRule(tests + ports(match, at: offset + (family == .ipv4 ? 20 : 40)))]
    }

    /// IPv6 packets whose first extension header is the fragment header, where the protocol
    /// matters; or the fragments after the first of either family.
    func rulesOfFragments(
        _ match: TrafficMatch, thatAre fragments: Fragments = .any
    ) -> [PacketRule] {
        guard let addresses = addresses(match) else { return [] }
        var tests: [PacketRule.Test] = []
        switch (family, fragments) {
        case (.ipv4, .any): return []
        case (.ipv4, .later):
            tests = [.field(.ipv4FragmentOffset, in: [1...0x1fff])] + addresses
            if let protocols = match.possibleProtocols {
                tests.append(.protocols(protocols, .ipv4))
            }
            return [PacketRule(tests)]
        case (.ipv6, _):
            if match.possibleProtocols == nil, fragments == .any { return [] }
            tests = [.field(.ipv6NextHeader, in: [44...44])] + addresses
            if let protocols = match.possibleProtocols {
                tests.append(.field(.ipv6Payload, in: protocols.numbers(in: .ipv6)))
            }
            if fragments == .later {
                tests.append(.field(.ipv6FragmentOffset, in: [1...0xffff]))
            } else if match.hasPorts {
                tests.append(.field(.ipv6FragmentOffset, in: [0...0]))
            }
            return [PacketRule(tests + (fragments == .any ? ports(match, at: 48) : []))]
        }
    }

    /// Nil if no packet of the family has such addresses.
    private func addresses(_ match: TrafficMatch) -> [PacketRule.Test]? {
        let places: (source: Int, destination: Int) = family == .ipv4 ? (12, 16) : (8, 24)
        guard let source = prefixes(isUp ? match.from : match.to, at: places.source),
            let destination = prefixes(isUp ? match.to : match.from, at: places.destination)
        else { return nil }
        return source + destination
    }

    private func prefixes(_ networks: [IPNetwork], at place: Int) -> [PacketRule.Test]? {
        guard !networks.isEmpty else { return [] }
        let fitting = networks.filter { $0.family == family }
        guard !fitting.isEmpty else { return nil }
        guard fitting.allSatisfy({ $0.prefixLength > 0 }) else { return [] }
        return [.prefix(offset: offset + place, in: fitting.map(\.ranges))]
    }

    private func ports(_ match: TrafficMatch, at place: Int) -> [PacketRule.Test] {
        let (source, destination) = (
            PacketField(.half, at: place), PacketField(.half, at: place + 2)
        )
        let near = isUp ? source : destination
        let far = isUp ? destination : source
        return match.fromPorts.test { .field(near, in: $0) }
            + match.toPorts.test { .field(far, in: $0) }
            + match.ports.test { .either(source, destination, in: $0) }
    }
}

extension PacketField {
    fileprivate static let ipv6NextHeader = PacketField(.byte, at: 6)
    fileprivate static let ipv4FragmentOffset = PacketField(.half, at: 6, mask: 0x1fff)
    /// The first byte after the header: an ICMP type, or the protocol in a fragment header.
    fileprivate static let ipv4Payload = PacketField(.byte, at: 20)
    fileprivate static let ipv6Payload = PacketField(.byte, at: 40)
    fileprivate static let ipv6FragmentOffset = PacketField(.half, at: 42, mask: 0xfff8)
}

extension PacketRule.Test {
    fileprivate static func protocols(
        _ protocols: [TransportProtocol], _ family: AddressFamily, behind offset: Int = 0
    ) -> Self {
        .field(
            PacketField(.byte, at: offset + (family == .ipv4 ? 9 : 6)),
            in: protocols.numbers(in: family))
    }

    /// A header of 20 bytes, so that the transport header is at a fixed offset.
    fileprivate static func ipv4WithoutOptions(behind offset: Int = 0) -> Self {
        .field(PacketField(.byte, at: offset), in: [0x45...0x45])
    }

    /// A packet that is whole or the first fragment, and so has ports.
    fileprivate static func ipv4FirstFragment(behind offset: Int = 0) -> Self {
        .field(PacketField(.half, at: offset + 6, mask: 0x1fff), in: [0...0])
    }

    /// A packet of this family, by the version in its first four bits.
    static func version(_ family: AddressFamily) -> Self {
        let version: UInt32 = family == .ipv4 ? 0x40 : 0x60
        return .field(PacketField(.byte, at: 0, mask: 0xf0), in: [version...version])
    }
}

extension [TransportProtocol] {
    fileprivate func numbers(in family: AddressFamily) -> [ClosedRange<UInt32>] {
        map { UInt32($0.number(in: family)) }.map { $0...$0 }
    }
}

extension [PortRange] {
    /// No test without any range.
    fileprivate func test(
        _ make: ([ClosedRange<UInt32>]) -> PacketRule.Test
    ) -> [PacketRule.Test] {
        isEmpty ? [] : [make(map { UInt32($0.first)...UInt32($0.last) })]
    }
}

extension IPNetwork {
    /// The values of each word of the prefix.
    fileprivate var ranges: [ClosedRange<UInt32>] {
        words.map { $0.value...($0.value | ~$0.mask) }
    }
}
