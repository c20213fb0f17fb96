import DataPlane
import LinkModel
import TrafficControl

/// Redirects the packets of a loopback to the engine.
///
///     a program ─(egress hook of lo)─┬─ lcu1 ── lcu1e ══ engine ─┐
///                                    └─ lcd1 ── lcd1e ══ engine ─┴─ raw socket ── lo ── a program
///
/// On a loopback every outgoing packet also arrives. So a packet is redirected once, on egress, and
/// both loops get it; the one for its direction carries it (see `LoopbackTraffic`), the other
/// ignores it. The raw socket sends it again, so that it reaches the loopback on the kernel's own
/// route. The kernel would reject a packet with an address of the host that arrives from elsewhere,
/// unless settings allow it that would outlive a killed engine.
///
/// Connection tracking already saw the packet when it first left, and is kept from seeing it twice:
/// it would not recognise a packet that it has redirected itself.
struct LoopbackHooks {
    /// The ways in their order of precedence.
    let ways: [HookTable.Way]

    /// Nil if the interface is no loopback.
    init?(_ ways: [HookTable.Way], of target: Interface) {
        guard ways.allSatisfy(\.redirect.isOfLoopback), target.index == 1 else { return nil }
        self.ways = ways
    }

    /// The table that keeps connection tracking from seeing packets twice.
    static let table = NftTable(
        name: "inet linkcond_loopback",
        parts: [
            .chain(
                "sent", hook: "type filter hook output priority -300;",
                ["meta mark 0x\(String(Redirect.mark, radix: 16)) notrack"])
        ])

    /// The chains in the interface's netdev table.
    var parts: [NftTable.Part] {
        let choices = conditions.map { $0.way.choice(Self.rules(of: $0.way)) }
        let isOne = choices.count == 1
        let rules = isOne ? choices[0].contents : choices.map { "jump \($0.id.name)" }
        return conditions.map { $0.way.redirection(to: $0.entrances) } + ownerParts
            + (isOne ? [] : choices) + [
                .chain(
                    "up", hook: "type filter hook egress device \"lo\" priority 0;",
                    [HookTable.passRule] + Self.exempt + rules)
            ]
    }

    /// Packets that a raw socket without an interface cannot send again.
    private static let exempt = [
        "ip daddr { 224.0.0.0/4, 255.255.255.255, 127.255.255.255 } accept",
        "ip6 saddr fe80::/10 accept", "ip6 daddr { fe80::/10, ff00::/8 } accept",
    ]

    /// The first way of each slot, with the interfaces that lead to the engine.
    private var conditions: [(way: HookTable.Way, entrances: [String])] {
        let slots = ways.map(\.redirect.slot)
        return ways.enumerated().filter { slots.firstIndex(of: $1.redirect.slot) == $0 }.map {
            (_, way) in
            (way, ways.filter { $0.redirect.slot == way.redirect.slot }.map(\.redirect.near))
        }
    }

    private var ownerParts: [NftTable.Part] {
        conditions.flatMap { way, _ in
            OwnerChains(of: way, isAlone: conditions.count == 1)?.parts(
                up: way.verdict, down: nil, isLoopback: true) ?? []
        }
    }

    /// The rules for packets of both directions, exceptions first.
    private static func rules(of way: HookTable.Way) -> [String] {
        let verdict =
            way.selector.choosesOwners
            ? "jump \(OwnerChains.name("up", slot: way.redirect.slot))" : way.verdict
        var seen: Set<String> = []
        let rules = Direction.allCases.flatMap { direction in
            NftSelection(way.selector, direction).rules(chosen: verdict)
        }.filter { seen.insert($0).inserted }
        return rules.filter { !$0.contains(verdict) } + rules.filter { $0.contains(verdict) }
    }
}
