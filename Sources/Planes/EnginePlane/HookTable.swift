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

        /// The chain that redirects.
        private var chain: String {
            "\(redirect.direction == .up ? "sent" : "got")\(redirect.slot)"
        }

        /// The statement for packets to be redirected.
        var verdict: String { "goto \(chain)" }

        /// The commands that create the chain. It asks whether the engine is alive, which does not
        /// matter to packets that are not chosen.
        ///
        /// - Parameter entrances: the interfaces that lead to the engine.
        func commands(_ table: String, to entrances: [String]) -> [String] {
            let redirection =
                entrances.dropLast().map { "dup to \"\($0)\" " }
                + entrances.suffix(1).map { "fwd to \"\($0)\"" }
            return ["add chain \(table) \(chain)"]
                + [HookTable.gateRule, redirection.joined()].map {
                    "add rule \(table) \(chain) \($0)"
                }
        }

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

    private var table: String { "netdev \(Self.namePrefix)\(target.index)" }

    /// The commands that create it. Equivalent to `nft -f`, while that process lives.
    var addText: String {
        let sinks = ways.map { "\"\($0.redirect.far)\"" }.joined(separator: ", ")
        var lines =
            ["add table \(table) { flags owner; }"] + gateCommands(table)
        // Packets that arrive there belong to the engine, and the host must not process them as
        // well.
        lines.append(
            "add chain \(table) engine { type filter hook ingress devices = { \(sinks) } "
                + "priority 0; policy drop; }")
        if let hooks = LoopbackHooks(ways, of: target) {
            return (lines + hooks.commands(netdev: table)).joined(separator: "\n") + "\n"
        }
        lines += ways.flatMap { $0.commands(table, to: [$0.redirect.near]) } + ownerCommands
        let ways = ways + remembering
        for direction in Direction.allCases {
            let ways = ways.filter { $0.redirect.direction == direction }.sorted {
                $0.order < $1.order
            }
            guard !ways.isEmpty else { continue }
            let hook = direction == .up ? "egress" : "ingress"
            lines.append(
                "add chain \(table) \(direction.rawValue) { type filter hook \(hook) device "
                    + "\(Self.quoted(target.name)) priority \(Self.priority); }")
            let choosers = ways.prefix { $0.selector.isSelective }
            let isGuarded = choosers.count > 1
            if isGuarded {
                lines.append("add chain \(table) \(direction.rawValue)_chosen")
                lines += Self.rules(choosers).map {
                    "add rule \(table) \(direction.rawValue)_chosen \($0)"
                }
            }
            let guards =
                isGuarded
                ? NftSelection.guards(
                    choosers.map(\.selector), direction,
                    verdict: "jump \(direction.rawValue)_chosen") : []
            let rest = isGuarded ? ways[choosers.endIndex...] : ways[...]
            let sparing = ways.flatMap { ownerChains($0)?.sparing(direction) ?? [] }
            let others =
                ways.count == 1 && !ways[0].selector.choosesOwners
                ? NftSelection(ways[0].selector, direction).accepting : []
            lines += ([Self.passRule] + sparing + others + guards + Self.rules(rest)).map {
                "add rule \(table) \(direction.rawValue) \($0)"
            }
        }
        return lines.joined(separator: "\n") + "\n"
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
        OwnerChains(of: way, in: table, isAlone: isAlone)
    }

    /// Whether all ways belong to the same conditions.
    private var isAlone: Bool { Set(ways.map(\.redirect.slot)).count == 1 }

    /// Whether packets that others send are not of interest. On a loopback they are: to the owners.
    var sparesOthers: Bool { choosesOwners && isAlone && LoopbackHooks(ways, of: target) == nil }

    /// The chains of the ways to which it matters whose packets they are.
    private var ownerCommands: [String] {
        (ways + remembering).filter { $0.redirect.direction == .up }.flatMap { way in
            let down = ways.first {
                $0.redirect.slot == way.redirect.slot && $0.redirect.direction == .down
            }
            var commands =
                ownerChains(way)?.commands(
                    up: way.onlyRemembers ? "return" : way.verdict, down: down?.verdict) ?? []
            if way.onlyRemembers {
                let chain = OwnerChains.name("seen", slot: way.redirect.slot)
                commands.append("add chain \(table) \(chain)")
                commands += way.rules(verdict: "return").map { "add rule \(table) \(chain) \($0)" }
            }
            return commands
        }
    }

    private static func rules(_ ways: ArraySlice<Way>) -> [String] {
        ways.flatMap { way in
            // Its exceptions must not end the search for conditions that follow.
            way.onlyRemembers
                ? ["jump \(OwnerChains.name("seen", slot: way.redirect.slot))"]
                : way.rules(verdict: way.verdict)
        }
    }

    /// The command that deletes it.
    var deleteText: String {
        let others = LoopbackHooks(ways, of: target).map { _ in LoopbackHooks.deleteCommand }
        return (["delete table \(table)", others].compactMap(\.self)).joined(separator: "\n")
            + "\n"
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
