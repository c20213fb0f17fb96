import DataPlane
import LinkModel
import Netlink
import LinuxKernel
import TrafficControl

/// The table in the form of tc filters.
extension HookTable {
    /// What the filters in one place redirect.
    struct Taking {
        var place: HookPlace
        var part: FilterRules
        /// The near ends of the veth pairs that receive it.
        var entrances: [String]

        /// The filters, with the veth ends as interfaces.
        func filters(on target: Interface, to entrances: [Interface]) -> [Filter] {
            part.filters.map { filter in
                Filter(
                    interface: target, parent: place.hook, preference: place.preference,
                    networkProtocol: part.networkProtocol, match: filter.match,
                    verdict: filter.isChosen
                        ? .distribute(to: entrances, cookie: Filter.ownCookie)
                        : .classify(QdiscHandle(rawValue: 1)))
            }
        }
    }

    /// The filters for packets of one protocol, in the order in which they are added.
    struct FilterRules: Hashable {
        var networkProtocol: Filter.NetworkProtocol
        var filters: [SelectionFilter]
    }

    /// What is redirected, in any order; nil if a selection needs too many filters.
    var takings: [Taking]? {
        let takings =
            LoopbackHooks(ways, of: target)?.takings
            ?? ways.flatMap { way in
                FilterRules.all(way).map { part in
                    Taking(
                        place: HookPlace(way, part.networkProtocol), part: part,
                        entrances: [way.redirect.near])
                }
            } + Direction.allCases.flatMap(guards)
        return takings.allSatisfy(\.part.isAcceptable) ? takings : nil
    }

    /// What spares packets that no condition chooses the filters of all of them.
    private func guards(_ direction: Direction) -> [Taking] {
        let ways = ways.filter { $0.redirect.direction == direction }
        return Filter.NetworkProtocol.allCases.compactMap { networkProtocol in
            let filter = SelectionFilter.guarding(
                ways.map(\.selector), direction, networkProtocol,
                headerLength: ways.first?.headerLength ?? 0)
            return filter.map {
                Taking(
                    place: .guard(direction, networkProtocol),
                    part: FilterRules(networkProtocol: networkProtocol, filters: [$0]),
                    entrances: [])
            }
        }
    }

    /// The hooks in use.
    var hooks: Set<Direction> { Set(takings?.map(\.place.direction) ?? []) }

    /// The commands that create the filters, where such commands exist.
    var filterText: String {
        let gates = Direction.allCases.filter(hooks.contains).map { direction in
            let gate = HookPlace.gate(direction)
            return "# \(gate.hook), pref \(gate.preference): a program (eBPF) lets pass what has "
                + "the mark, and everything while the engine stands still"
        }
        let filters = (takings ?? []).flatMap { taking in
            taking.filters(
                on: target, to: taking.entrances.map { Interface(index: 0, name: $0) }
            ).map(\.tcAddText)
        }
        let ends = ways.map { "# \($0.redirect.far), ingress: a program drops what the engine got" }
        return (["tc qdisc add dev \(ShellWord(target.name)) clsact"] + gates + filters + ends)
            .joined(separator: "\n") + "\n"
    }
}

extension LoopbackHooks {
    /// What is redirected: both directions at the egress hook.
    ///
    /// Connection tracking cannot be kept from seeing the packets twice here.
    var takings: [HookTable.Taking] {
        let slots = Dictionary(grouping: ways, by: \.redirect.slot)
        return slots.values.flatMap { ways in
            guard var first = ways.first else { return [HookTable.Taking]() }
            first.redirect.direction = .up
            return [Filter.NetworkProtocol.ipv4, .ipv6].map { networkProtocol in
                let part = HookTable.FilterRules(
                    networkProtocol: networkProtocol,
                    filters: Self.filters(of: first.selector, networkProtocol))
                return HookTable.Taking(
                    place: HookPlace(first, networkProtocol), part: part,
                    entrances: ways.map(\.redirect.near))
            }
        }
    }

    /// The filters of both directions, exceptions first.
    private static func filters(
        of selector: TrafficSelector, _ networkProtocol: Filter.NetworkProtocol
    ) -> [SelectionFilter] {
        let exempt = exempt(networkProtocol)
        if selector.prefersPrograms {
            let selections = Direction.allCases.map { ProgramSelection(selector, $0) }
            let programs = SelectionFilter.programs(
                chosen: { family in selections.flatMap { $0.chosen(family) } },
                spared: { family in
                    exempt.map(PacketRule.init) + selections.flatMap { $0.spared(family) }
                }, networkProtocol, headerLength: Link.ethernetHeaderLength)
            if let programs { return programs }
        }
        var seen: Set<U32Rule> = []
        let rules = Direction.allCases.flatMap { direction in
            let selection = U32Selection(selector, direction)
            let discovery = networkProtocol == .ipv6 ? selection.neighborDiscovery : []
            return discovery + selection.rules(for: networkProtocol)
        }.filter { seen.insert($0).inserted }
        return
            (exempt + rules.filter { !$0.isChosen } + rules.filter(\.isChosen))
            .map(SelectionFilter.init)
    }

    /// Packets that a raw socket without an interface cannot send again.
    private static func exempt(_ networkProtocol: Filter.NetworkProtocol) -> [U32Rule] {
        // The addresses at their offsets in the headers.
        let matches: [U32Match] =
            networkProtocol == .ipv4
            ? [
                U32Match(value: 0xe000_0000, mask: 0xf000_0000, offset: 16),
                U32Match(value: 0xffff_ffff, mask: 0xffff_ffff, offset: 16),
                U32Match(value: 0x7fff_ffff, mask: 0xffff_ffff, offset: 16),
            ]
            : [
                U32Match(value: 0xfe80_0000, mask: 0xffc0_0000, offset: 8),
                U32Match(value: 0xfe80_0000, mask: 0xffc0_0000, offset: 24),
                U32Match(value: 0xff00_0000, mask: 0xff00_0000, offset: 24),
            ]
        return matches.map { U32Rule(matches: [$0], isChosen: false) }
    }
}

extension HookTable.FilterRules {
    /// Every packet has to pass all of them.
    static let mostMatches = 3000

    /// The filters of a way.
    static func all(_ way: HookTable.Way) -> [Self] {
        let form = FilterForm.programs(headerLength: way.headerLength)
        return Filter.NetworkProtocol.allCases.map { networkProtocol in
            Self(
                networkProtocol: networkProtocol,
                filters: way.selector.filters(
                    way.redirect.direction, networkProtocol, form, sparesDiscovery: true))
        }.filter { !$0.filters.isEmpty }
    }

    /// Whether there are few enough filters.
    var isAcceptable: Bool {
        filters.reduce(0) { $0 + 1 + $1.match.wordCount } <= Self.mostMatches
    }
}

extension HookTable.Way {
    /// That of the link-layer header.
    fileprivate var headerLength: Int { redirect.isBare ? 0 : Link.ethernetHeaderLength }
}

extension Filter.Match {
    /// How many words each packet is compared with, apart from programs.
    fileprivate var wordCount: Int {
        switch self {
        case .words(let words): words.count
        case .program: 0
        }
    }
}

extension PacketRule {
    /// The same comparisons as those of a u32 filter.
    fileprivate init(_ rule: U32Rule) {
        self.init(
            rule.matches.map { match in
                .field(
                    PacketField(.word, at: Int(match.offset), mask: match.mask),
                    in: [match.value...match.value])
            })
    }
}
