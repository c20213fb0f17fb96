import DataPlane
import LinkModel
import TrafficControl

/// What takes the packets of a loopback to the engine.
///
///     a program ─(egress hook of lo)─┬─ lcu1 ── lcu1e ══ engine ─┐
///                                    └─ lcd1 ── lcd1e ══ engine ─┴─ raw socket ── lo ── a program
///
/// On a loopback what leaves is what arrives. So a packet is taken once, when it leaves, and both
/// loops get it; the one whose direction it is carries it (`LoopbackTraffic` says which), the other
/// one leaves it. The raw socket sends it once more, so that it reaches the loopback on the kernel's
/// own route: what comes from elsewhere with an address of the host the kernel would not believe,
/// unless it is told to by settings that stay when the engine is killed.
///
/// Connection tracking has seen it when it left first, and is kept from seeing it twice: it would
/// not recognise what it has redirected itself.
struct LoopbackHooks {
    /// In the order in which they choose their packets.
    let ways: [HookTable.Way]

    /// Nil for an interface that is no loopback.
    init?(_ ways: [HookTable.Way], of target: Interface) {
        guard ways.allSatisfy(\.redirect.isOfLoopback), target.index == 1 else { return nil }
        self.ways = ways
    }

    private static let inetTable = "inet linkcond_loopback"

    /// The commands that make chains in the interface's table of the netdev family, and a table of
    /// its own beside it.
    func commands(netdev table: String) -> [String] {
        [
            "add chain \(table) up { type filter hook egress device \"lo\" priority 0; }"
        ] + rules.map { "add rule \(table) up \($0)" } + [
            "add table \(Self.inetTable) { flags owner; }",
            "add chain \(Self.inetTable) sent { type filter hook output priority -300; }",
            "add rule \(Self.inetTable) sent meta mark 0x\(String(Redirect.mark, radix: 16)) notrack",
        ]
    }

    /// The command that takes the table of its own away.
    static let deleteCommand = "delete table \(inetTable)"

    /// What a socket without an interface cannot send again.
    private static let exempt = [
        "ip daddr { 224.0.0.0/4, 255.255.255.255, 127.255.255.255 } accept",
        "ip6 saddr fe80::/10 accept", "ip6 daddr { fe80::/10, ff00::/8 } accept",
    ]

    private var rules: [String] {
        var rules = [HookTable.passRule, HookTable.gateRule] + Self.exempt
        let slots = ways.map(\.redirect.slot)
        for (index, way) in ways.enumerated()
        where slots.firstIndex(of: way.redirect.slot) == index {
            let entrances = ways.filter { $0.redirect.slot == way.redirect.slot }.map(
                \.redirect.near)
            rules += Self.rules(of: way, entrances)
        }
        return rules
    }

    /// The rules for packets of both directions, first those that spare some, with the interfaces
    /// that lead to the engine.
    private static func rules(of way: HookTable.Way, _ entrances: [String]) -> [String] {
        let verdict =
            entrances.dropLast().map { "dup to \"\($0)\" " }.joined()
            + entrances.suffix(1).map { "fwd to \"\($0)\"" }.joined()
        var seen: Set<String> = []
        let rules = Direction.allCases.flatMap { direction in
            NftSelection(way.selector, direction).rules(chosen: verdict)
        }.filter { seen.insert($0).inserted }
        return rules.filter { !$0.contains(verdict) } + rules.filter { $0.contains(verdict) }
    }
}
