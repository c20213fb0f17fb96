import DataPlane
import LinuxKernel
import TrafficControl

/// Which marks tell the hooks of interfaces that a packet is of a program with a certain name: the
/// bits of `GroupMarks`, set after nftables has set its own.
struct ProcessMarks: Hashable {
    let rules: Set<SocketOwners.Rule>

    /// Those that the tables of all interfaces need.
    init(_ tables: some Collection<HookTable>) {
        rules = Set(
            tables.flatMap { table in
                table.ways.filter { !$0.selector.included.processes.isEmpty }.map { way in
                    SocketOwners.Rule(
                        interface: table.target.index,
                        names: Set(way.selector.included.processes.map(\.description)),
                        bit: 1 << UInt32(way.redirect.slot),
                        narrows: !way.selector.included.groups.isEmpty)
                }
            })
    }

    /// Whether there are none.
    var isEmpty: Bool { rules.isEmpty }

    /// Begins to set them in the calling thread's network namespace; nil if there are none.
    func begin() throws(EngineError) -> SocketOwners? {
        guard !isEmpty else { return nil }
        guard Set(rules.flatMap(\.names)).count <= ProcessName.mostAtOnce else {
            throw .tooManyPrograms
        }
        do {
            return try SocketOwners(
                Array(rules),
                mark: SocketOwners.Mark(
                    tag: GroupMarks.tag, mask: GroupMarks.tagMask, spared: Redirect.mark))
        } catch {
            throw .noProcessMarks(error)
        }
    }
}
