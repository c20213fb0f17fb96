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

    private static let inetTable = "inet linkcond_loopback"

    /// The commands that create chains in the interface's netdev table, and a separate inet table.
    func commands(netdev table: String) -> [String] {
        [
            "add chain \(table) up { type filter hook egress device \"lo\" priority 0; }"
        ] + conditions.flatMap { $0.way.commands(table, to: $0.entrances) } + ownerCommands(table)
            + rules.map { "add rule \(table) up \($0)" } + [
                "add table \(Self.inetTable) { flags owner; }",
                "add chain \(Self.inetTable) sent { type filter hook output priority -300; }",
                "add rule \(Self.inetTable) sent meta mark 0x\(String(Redirect.mark, radix: 16)) notrack",
            ]
    }

    /// The command that deletes the inet table.
    static let deleteCommand = "delete table \(inetTable)"

    /// Packets that a raw socket without an interface cannot send again.
    private static let exempt = [
        "ip daddr { 224.0.0.0/4, 255.255.255.255, 127.255.255.255 } accept",
        "ip6 saddr fe80::/10 accept", "ip6 daddr { fe80::/10, ff00::/8 } accept",
    ]

    private var rules: [String] {
        [HookTable.passRule] + Self.exempt + conditions.flatMap { Self.rules(of: $0.way) }
    }

    /// The first way of each slot, with the interfaces that lead to the engine.
    private var conditions: [(way: HookTable.Way, entrances: [String])] {
        let slots = ways.map(\.redirect.slot)
        return ways.enumerated().filter { slots.firstIndex(of: $1.redirect.slot) == $0 }.map {
            (_, way) in
            (way, ways.filter { $0.redirect.slot == way.redirect.slot }.map(\.redirect.near))
        }
    }

    private func ownerCommands(_ table: String) -> [String] {
        conditions.flatMap { way, _ in
            OwnerChains(of: way, in: table, isAlone: conditions.count == 1)?.commands(
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
