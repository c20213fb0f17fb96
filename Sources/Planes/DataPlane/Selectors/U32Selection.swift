public import LinkModel
public import TrafficControl

/// A selector as u32 filters for one direction: rules of which the first match decides.
///
/// u32 compares words at fixed offsets. So it finds no ports in an IPv4 packet with options, or
/// after an IPv6 extension header other than the fragment header; such packets match no port.
public struct U32Selection {
    private let selector: TrafficSelector
    private let direction: Direction

    /// Plans the rules for packets in `direction`.
    public init(_ selector: TrafficSelector, _ direction: Direction) {
        self.selector = selector
        self.direction = direction
    }

    /// The rules for the packets that filters with this protocol match.
    public func rules(for networkProtocol: Filter.NetworkProtocol) -> [U32Rule] {
        allRules(for: networkProtocol).compactMap { rule in
            U32Match.merged(rule.matches).map { U32Rule(matches: $0, isChosen: rule.isChosen) }
        }
    }

    private func allRules(for networkProtocol: Filter.NetworkProtocol) -> [U32Rule] {
        switch networkProtocol {
        case .ipv4: return rules(.ipv4)
        case .ipv6: return rules(.ipv6)
        case .vlan, .providerVLAN:
            // Any protocol may follow a tag, so the IP version must be compared first.
            let discovery = tagged(neighborDiscovery, .ipv6)
            guard selector != .everything else {
                return discovery + [U32Rule(matches: [.ipv4OrIPv6], isChosen: true)]
            }
            return discovery + AddressFamily.allCases.flatMap { tagged(rules($0), $0) }
        }
    }

    /// Passes neighbour discovery (ICMPv6 types 132 to 137), so that a lossy link does not look
    /// like an absent neighbour.
    public var neighborDiscovery: [U32Rule] {
        guard selector.families.contains(.ipv6),
            selector.included.possibleProtocols?.contains(.icmp) ?? true
        else { return [] }
        return [(type: UInt8(0x84), mask: UInt8(0xfc)), (type: 0x88, mask: 0xfe)].map {
            U32Rule(
                matches: [
                    .ipv6NextHeader(TransportProtocol.icmp.number(in: .ipv6)),
                    .icmpv6Type($0.type, mask: $0.mask),
                ], isChosen: false)
        }
    }

    private func tagged(_ rules: [U32Rule], _ family: AddressFamily) -> [U32Rule] {
        rules.map {
            U32Rule(matches: [family == .ipv4 ? .ipv4 : .ipv6] + $0.matches, isChosen: $0.isChosen)
        }
    }

    private func rules(_ family: AddressFamily) -> [U32Rule] {
        guard selector.families.contains(family) else { return [] }
        let excepted = selector.exceptions.flatMap { forms(of: $0, family) }
        let onlyFirst = selector.exceptsPortsOfDatagrams
        var rules = excepted.map { U32Rule(matches: $0, isChosen: false) }
        if onlyFirst, family == .ipv6, selector.included.possibleProtocols == nil {
            for addresses in U32Header(.ipv6, direction).addresses(selector.included) {
                rules += [
                    U32Rule(
                        matches: [.ipv6Fragment, .ipv6FirstFragment] + addresses, isChosen: true),
                    U32Rule(matches: [.ipv6Fragment] + addresses, isChosen: false),
                ]
            }
        }
        return rules
            + forms(of: selector.included, family, onlyFirst: onlyFirst).map {
                U32Rule(matches: $0, isChosen: true)
            }
    }

    /// Matching packets, their fragments, and ICMP errors about such packets.
    private func forms(
        of match: TrafficMatch, _ family: AddressFamily, onlyFirst: Bool = false
    ) -> [[U32Match]] {
        let packet = U32Header(family, direction)
        let forms =
            packet.matches(match, onlyFirst: onlyFirst)
            + packet.fragmentMatches(match, onlyFirst: onlyFirst)
        // Errors are ICMP, and so already match where only the protocol is given.
        let matchesErrors =
            match.to.isEmpty && match.from.isEmpty
            && match.possibleProtocols?.contains(.icmp) ?? true
        return matchesErrors
            ? forms : forms + U32Header(quotedIn: family, direction).matches(match)
    }
}

/// The headers of a packet, or those quoted in an ICMP error, as u32 sees them.
private struct U32Header {
    private let family: AddressFamily
    private let direction: Direction
    private let offset: Int32
    /// What must match for this header to be present.
    private let before: [U32Match]

    /// The header of a packet in `direction`.
    init(_ family: AddressFamily, _ direction: Direction) {
        self.family = family
        self.direction = direction
        offset = 0
        before = []
    }

    /// The header that an error in `direction` quotes, of a packet in the other direction.
    init(quotedIn family: AddressFamily, _ direction: Direction) {
        let icmp = TransportProtocol.icmp.number(in: family)
        self.family = family
        self.direction = direction == .up ? .down : .up
        switch family {
        case .ipv4:
            before = [
                .ipv4WithoutOptions, .ipv4Protocol(icmp), .ipv4FirstFragment, .icmpError,
            ]
            offset = 20 + 8
        case .ipv6:
            before = [.ipv6NextHeader(icmp), .icmpv6Type(0, mask: 0x80)]
            offset = 40 + 8
        }
    }

    /// All combinations of addresses that match.
    func addresses(_ match: TrafficMatch) -> [[U32Match]] {
        let isUp = direction == .up
        let places: (source: Int32, destination: Int32) = family == .ipv4 ? (12, 16) : (8, 24)
        return product([
            words(isUp ? match.from : match.to, at: places.source),
            words(isUp ? match.to : match.from, at: places.destination),
        ])
    }

    private func words(_ networks: [IPNetwork], at place: Int32) -> [[U32Match]] {
        guard !networks.isEmpty else { return [[]] }
        return networks.filter { $0.family == family }.map { network in
            network.words.enumerated().map { number, word in
                U32Match(
                    value: word.value, mask: word.mask, offset: offset + place + 4 * Int32(number))
            }
        }
    }

    /// Unfragmented packets and, with IPv4, fragments.
    func matches(_ match: TrafficMatch, onlyFirst: Bool = false) -> [[U32Match]] {
        let header: Int32 = family == .ipv4 ? 20 : 40
        var fragments: [U32Match] = []
        if family == .ipv4, match.hasPorts || onlyFirst { fragments = [.ipv4FirstFragment] }
        if family == .ipv4, match.hasPorts { fragments.append(.ipv4WithoutOptions) }
        let protocols = match.possibleProtocols.map { protocols in
            protocols.map { [protocolMatch($0)] }
        }
        return product([
            [before], protocols ?? [[]], [fragments.map(shifted)], addresses(match),
            ports(match, at: offset + header),
        ])
    }

    /// IPv6 packets whose first extension header is the fragment header, where the protocol
    /// matters.
    func fragmentMatches(_ match: TrafficMatch, onlyFirst: Bool) -> [[U32Match]] {
        guard family == .ipv6, let protocols = match.possibleProtocols else { return [] }
        let isFirst = match.hasPorts || onlyFirst ? [U32Match.ipv6FirstFragment] : []
        return product([
            [[.ipv6Fragment]],
            protocols.map { [.ipv6FragmentOf($0.number(in: .ipv6))] + isFirst },
            addresses(match), ports(match, at: 40 + 8),
        ])
    }

    private func protocolMatch(_ transport: TransportProtocol) -> U32Match {
        let number = transport.number(in: family)
        return shifted(family == .ipv4 ? .ipv4Protocol(number) : .ipv6NextHeader(number))
    }

    private func shifted(_ match: U32Match) -> U32Match {
        U32Match(value: match.value, mask: match.mask, offset: match.offset + offset)
    }

    private func ports(_ match: TrafficMatch, at place: Int32) -> [[U32Match]] {
        func words(_ ranges: [PortRange], _ shifts: [UInt32]) -> [[U32Match]] {
            guard !ranges.isEmpty else { return [[]] }
            return ranges.flatMap(\.blocks).flatMap { block in
                shifts.map { shift in
                    [
                        U32Match(
                            value: UInt32(block.value) << shift,
                            mask: UInt32(block.mask) << shift, offset: place)
                    ]
                }
            }
        }
        // One word contains both, the source first.
        let (source, destination): (UInt32, UInt32) = (16, 0)
        return product([
            words(match.ports, [source, destination]),
            words(match.toPorts, [direction == .up ? destination : source]),
            words(match.fromPorts, [direction == .up ? source : destination]),
        ])
    }

    /// All combinations with one of each, joined.
    private func product(_ alternatives: [[[U32Match]]]) -> [[U32Match]] {
        alternatives.reduce([[]]) { joined, next in
            joined.flatMap { head in next.map { head + $0 } }
        }
    }
}
