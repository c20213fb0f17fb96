import DataPlane
import LinkModel
import TrafficControl

/// Which of an interface's packets are taken where, for all its conditions; here as a table of the
/// packet filter, and in `HookTable+Filters` as filters of tc.
struct HookTable: Hashable {
    /// What is taken for some conditions in one direction.
    struct Way: Hashable {
        var redirect: Redirect
        var selector: TrafficSelector

        /// What tells it from others of the interface, in the order in which they choose.
        fileprivate var order: (Int, Int) { (selector.isSelective ? 0 : 1, redirect.slot) }

        /// Rules of nft, of which the first that matches decides.
        ///
        /// - Parameter verdict: what is done with packets that are chosen.
        func rules(verdict: String) -> [String] {
            NftSelection(selector, redirect.direction).rules(chosen: verdict)
        }
    }

    /// The interface.
    let target: Interface
    /// The conditioned directions, in the order in which they choose their packets.
    let ways: [Way]

    /// A table for ways in any order: what chooses some traffic comes before what is for all, and
    /// else what came first.
    init(target: Interface, ways: [Way]) {
        self.target = target
        self.ways = ways.sorted { $0.order < $1.order }
    }

    /// How the names of all these tables begin.
    static let namePrefix = "linkcond_"
    /// Chains of others with lower ones see packets first.
    static let priority: Int32 = 0

    private var table: String { "netdev \(Self.namePrefix)\(target.index)" }

    /// The commands that make it. Equivalent to `nft -f`, as long as that lives.
    var addText: String {
        let sinks = ways.map { "\"\($0.redirect.far)\"" }.joined(separator: ", ")
        var lines = ["add table \(table) { flags owner; }"] + gateCommands(table)
        // What arrives there is the engine's, and the host must not look at it as well.
        lines.append(
            "add chain \(table) engine { type filter hook ingress devices = { \(sinks) } "
                + "priority 0; policy drop; }")
        if let hooks = LoopbackHooks(ways, of: target) {
            return (lines + hooks.commands(netdev: table)).joined(separator: "\n") + "\n"
        }
        for direction in Direction.allCases {
            let ways = ways.filter { $0.redirect.direction == direction }
            guard !ways.isEmpty else { continue }
            let hook = direction == .up ? "egress" : "ingress"
            lines.append(
                "add chain \(table) \(direction.rawValue) { type filter hook \(hook) device "
                    + "\(Self.quoted(target.name)) priority \(Self.priority); }")
            lines += Self.rules(ways).map {
                "add rule \(table) \(direction.rawValue) \($0)"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Lets be what the engine is done with. Nobody else is to see the mark; with it a packet would
    /// go round the next engine.
    static let passRule =
        "meta mark 0x\(String(Redirect.mark, radix: 16)) meta mark set 0 accept"

    /// The directions of which it has chains at the interface.
    var chained: Set<Direction> {
        LoopbackHooks(ways, of: target) == nil ? Set(ways.map(\.redirect.direction)) : [.up]
    }

    private static func rules(_ ways: [Way]) -> [String] {
        [Self.passRule, Self.gateRule]
            + ways.flatMap { $0.rules(verdict: "fwd to \"\($0.redirect.near)\"") }
    }

    /// The command that takes it away.
    var deleteText: String {
        let others = LoopbackHooks(ways, of: target).map { _ in LoopbackHooks.deleteCommand }
        return (["delete table \(table)"] + [others].compactMap(\.self)).joined(separator: "\n")
            + "\n"
    }

    /// Whether nft can be told the name of an interface: its texts know no escapes, and a star
    /// stands for any letters.
    static func canName(_ interface: String) -> Bool { interface.utf8.allSatisfy(canName) }

    private static func canName(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && !"\"*\\;{}".utf8.contains(byte)
    }

    /// A name in a text of nft. Of one that cannot be told no interface has what becomes of it, so
    /// that nft refuses the text.
    static func quoted(_ interface: String) -> String {
        let bytes = interface.utf8.map { canName($0) ? $0 : UInt8(ascii: "?") }
        return "\"\(String(decoding: bytes, as: UTF8.self))\""
    }
}
