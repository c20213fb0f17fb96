import DataPlane
import LinkModel
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
            part.rules.map { rule in
                Filter(
                    interface: target, parent: place.hook, preference: place.preference,
                    networkProtocol: part.networkProtocol, matches: rule.matches,
                    verdict: rule.isChosen
                        ? .distribute(to: entrances, cookie: Filter.ownCookie)
                        : .classify(QdiscHandle(rawValue: 1)))
            }
        }
    }

    /// The rules for packets of one protocol; the first match decides.
    struct FilterRules: Hashable {
        var networkProtocol: Filter.NetworkProtocol
        var rules: [U32Rule]
    }

    /// What is redirected, in any order; nil if a selection needs too many filters.
    var takings: [Taking]? {
        guard ways.allSatisfy({ FilterRules.areFew(for: $0.selector) }) else { return nil }
        if let hooks = LoopbackHooks(ways, of: target) { return hooks.takings }
        return ways.flatMap { way in
            FilterRules.all(way.selector, way.redirect.direction).map { part in
                Taking(
                    place: HookPlace(way, part.networkProtocol), part: part,
                    entrances: [way.redirect.near])
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
            let filters = Direction.allCases.flatMap {
                HookTable.FilterRules.all(first.selector, $0)
            }
            return [Filter.NetworkProtocol.ipv4, .ipv6].map { networkProtocol in
                var seen: Set<U32Rule> = []
                let rules = filters.filter { $0.networkProtocol == networkProtocol }.flatMap(
                    \.rules
                )
                .filter { seen.insert($0).inserted }
                let part = HookTable.FilterRules(
                    networkProtocol: networkProtocol,
                    rules: Self.exempt(networkProtocol) + rules.filter { !$0.isChosen }
                        + rules.filter(\.isChosen))
                return HookTable.Taking(
                    place: HookPlace(first, networkProtocol), part: part,
                    entrances: ways.map(\.redirect.near))
            }
        }
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

    /// The rules for a selector in a direction.
    static func all(_ selector: TrafficSelector, _ direction: Direction) -> [Self] {
        let selection = U32Selection(selector, direction)
        return Filter.NetworkProtocol.allCases.map { networkProtocol in
            let discovery = networkProtocol == .ipv6 ? selection.neighborDiscovery : []
            return Self(
                networkProtocol: networkProtocol,
                rules: discovery + selection.rules(for: networkProtocol))
        }.filter { !$0.rules.isEmpty }
    }

    /// Whether a selector needs few enough rules.
    static func areFew(for selector: TrafficSelector) -> Bool {
        let rules = Direction.allCases.flatMap { all(selector, $0) }.flatMap(\.rules)
        return rules.reduce(0) { $0 + 1 + $1.matches.count } <= mostMatches
    }
}
