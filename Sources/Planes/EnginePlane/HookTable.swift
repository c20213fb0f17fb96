import DataPlane
import LinkModel
import LinuxKernel
import TrafficControl

/// Which of an interface's packets are redirected where, for all its conditions; here as an
/// nftables table, and in `HookTable+Filters` as tc filters.
struct HookTable: Hashable {
    /// What some conditions redirect in one direction.
    struct Way: Hashable {
        var redirect: Redirect
        var selector: TrafficSelector
        /// Those of the selector's control groups that exist.
        var groups: [PresentGroup] = []
        /// Whether it redirects nothing, and only remembers what the owners of a way down send.
        var onlyRemembers = false

        /// A way with the control groups that exist now, and the addresses that names have; nil
        /// if no name has any.
        static func present(
            _ redirect: Redirect, _ selector: TrafficSelector, _ addresses: [HostName: [IPAddress]]
        ) -> Way? {
            guard let selector = selector.resolved(by: addresses) else { return nil }
            return Way(
                redirect: redirect, selector: selector,
                groups: presentGroups(selector.included.groups))
        }

        private static func presentGroups(_ groups: some Collection<ControlGroup>) -> [PresentGroup]
        {
            guard !groups.isEmpty, let tree = ControlGroupTree.host else { return [] }
            return groups.compactMap { tree.group($0.path) }
        }

        /// The precedence among the ways of an interface.
        fileprivate var order: (Int, Int, Int) {
            (selector.isSelective ? 0 : 1, redirect.slot, redirect.direction == .up ? 0 : 1)
        }

        /// The name of the chain that redirects.
        fileprivate var chain: String {
            "\(redirect.direction == .up ? "sent" : "got")\(redirect.slot)"
        }

        /// The statement for packets to be redirected.
        var verdict: String { "goto \(chain)" }

        /// The chain that redirects. It asks whether the engine is alive, which does not matter to
        /// packets that are not chosen.
        ///
        /// - Parameter entrances: the interfaces that lead to the engine.
        func redirection(to entrances: [String]) -> NftTable.Part {
            let statements =
                entrances.dropLast().map { "dup to \"\($0)\" " }
                + entrances.suffix(1).map { "fwd to \"\($0)\"" }
            return .chain(chain, [HookTable.gateRule, statements.joined()])
        }

        /// A chain of its own for `rules`: among many conditions, only what changes is sent to the
        /// kernel again.
        func choice(_ rules: [String]) -> NftTable.Part { .chain("\(chain)_chosen", rules) }

        /// nft rules of which the first match decides.
        ///
        /// - Parameter verdict: the statement for chosen packets.
        func rules(verdict: String) -> [String] {
            guard selector.choosesOwners else {
                return NftSelection(selector, redirect.direction).rules(chosen: verdict)
            }
            let chain = OwnerChains.name(redirect.direction.rawValue, slot: redirect.slot)
            return NftSelection(selector, redirect.direction).rules(
                chosen: "jump \(chain)", spared: onlyRemembers ? "return" : "accept")
        }
    }

    /// The interface.
    let target: Interface
    /// The conditioned directions, in their order of precedence.
    let ways: [Way]

    /// Makes a table from ways in any order: conditions for some traffic precede those for all, and
    /// otherwise earlier ones precede later ones.
    init(target: Interface, ways: [Way]) {
        self.target = target
        self.ways = ways.sorted { $0.order < $1.order }
    }

    /// Whether it matters whose packets they are.
    var choosesOwners: Bool { ways.contains(where: \.selector.choosesOwners) }

    /// The common prefix of the table names.
    static let namePrefix = "linkcond_"
    /// Foreign chains with lower priorities see packets first.
    static let priority: Int32 = 0

    /// The commands that create its tables. Equivalent to `nft -f`, while that process lives.
    var addText: String { tables.flatMap(\.additions).map { $0 + "\n" }.joined() }

    /// The nftables tables that it is made of.
    var tables: [NftTable] {
        let table = NftTable(name: "netdev \(Self.namePrefix)\(target.index)", parts: parts)
        return LoopbackHooks(ways, of: target) == nil ? [table] : [table, LoopbackHooks.table]
    }

    private var parts: [NftTable.Part] {
        // Packets that arrive at the engine's ends belong to it, and the host must not process them
        // as well.
        let engine = ways.map { way in
            NftTable.Part.chain(
                "engine_\(way.chain)",
                hook: "type filter hook ingress device \"\(way.redirect.far)\" priority 0; "
                    + "policy drop;", [])
        }
        let chains =
            LoopbackHooks(ways, of: target)?.parts
            ?? ways.map { $0.redirection(to: [$0.redirect.near]) } + ownerParts
            + Direction.allCases.flatMap(chains)
        let sets = NftSelection.sets.filter { set in
            chains.contains { $0.contents.contains { $0.contains("@\(set.name) ") } }
        }
        return gate + engine + sets.map { .set($0.name, $0.declaration) } + chains
    }

    /// The chains for packets in one direction; none if no way has it.
    private func chains(_ direction: Direction) -> [NftTable.Part] {
        let ways = (ways + remembering).filter { $0.redirect.direction == direction }.sorted {
            $0.order < $1.order
        }
        guard !ways.isEmpty else { return [] }
        let choosers = ways.prefix { $0.selector.isSelective }
        let sparing = ways.flatMap { ownerChains($0)?.sparing(direction) ?? [] }
        let hook = direction == .up ? "egress" : "ingress"
        func entry(_ rules: [String]) -> NftTable.Part {
            .chain(
                direction.rawValue,
                hook: "type filter hook \(hook) device \(Self.quoted(target.name)) "
                    + "priority \(Self.priority);", [Self.passRule] + sparing + rules)
        }
        guard choosers.count > 1 else {
            let others =
                ways.count == 1 && !ways[0].selector.choosesOwners
                ? NftSelection(ways[0].selector, direction).accepting : []
            return [entry(others + ways.flatMap(Self.rules))]
        }
        let choices = choosers.map { $0.choice(Self.rules($0)) }
        let choice = NftTable.Part.chain(
            "\(direction.rawValue)_chosen", choices.map { "jump \($0.id.name)" })
        let guards = NftSelection.guards(
            choosers.map(\.selector), direction, verdict: "jump \(choice.id.name)")
        let rest = ways[choosers.endIndex...]
        return choices + [choice, entry(guards + rest.flatMap(Self.rules))]
    }

    /// Accepts packets that the engine has handled, and clears their mark: nobody else should see
    /// it, and a marked packet would bypass the next engine.
    static let passRule =
        "meta mark 0x\(String(Redirect.mark, radix: 16)) meta mark set 0 accept"

    /// The directions in which it has chains at the interface.
    var chained: Set<Direction> {
        LoopbackHooks(ways, of: target) == nil
            ? Set((ways + remembering).map(\.redirect.direction)) : [.up]
    }

    /// Ways up that a way down needs to know its owners' flows.
    private var remembering: [Way] {
        ways.filter { way in
            way.selector.choosesOwners && way.redirect.direction == .down
                && !ways.contains {
                    $0.redirect.slot == way.redirect.slot && $0.redirect.direction == .up
                }
        }.map { way in
            var other = way
            other.redirect.direction = .up
            other.onlyRemembers = true
            return other
        }
    }

    private func ownerChains(_ way: Way) -> OwnerChains? {
        OwnerChains(of: way, isAlone: isAlone)
    }

    /// Whether all ways belong to the same conditions.
    private var isAlone: Bool { Set(ways.map(\.redirect.slot)).count == 1 }

    /// Whether packets that others send are not of interest. On a loopback they are: to the owners.
    var sparesOthers: Bool { choosesOwners && isAlone && LoopbackHooks(ways, of: target) == nil }

    /// The chains of the ways to which it matters whose packets they are.
    private var ownerParts: [NftTable.Part] {
        (ways + remembering).filter { $0.redirect.direction == .up }.flatMap { way in
            let down = ways.first {
                $0.redirect.slot == way.redirect.slot && $0.redirect.direction == .down
            }
            var parts =
                ownerChains(way)?.parts(
                    up: way.onlyRemembers ? "return" : way.verdict, down: down?.verdict) ?? []
            if way.onlyRemembers {
                parts.append(
                    .chain(
                        OwnerChains.name("seen", slot: way.redirect.slot),
                        way.rules(verdict: "return")))
            }
            return parts
        }
    }

    private static func rules(_ way: Way) -> [String] {
        // Its exceptions must not end the search for conditions that follow.
        way.onlyRemembers
            ? ["jump \(OwnerChains.name("seen", slot: way.redirect.slot))"]
            : way.rules(verdict: way.verdict)
    }

    /// Whether nft can express the name of an interface: its syntax has no escapes, and a star
    /// matches any suffix.
    static func canName(_ interface: String) -> Bool { interface.utf8.allSatisfy(canName) }

    private static func canName(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && !"\"*\\;{}".utf8.contains(byte)
    }

    /// A name quoted for nft. One that nft cannot express becomes a name that no interface has, so
    /// that nft refuses the text.
    static func quoted(_ interface: String) -> String {
        let bytes = interface.utf8.map { canName($0) ? $0 : UInt8(ascii: "?") }
        return "\"\(String(decoding: bytes, as: UTF8.self))\""
    }
}
