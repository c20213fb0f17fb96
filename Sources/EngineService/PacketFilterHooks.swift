import LinuxKernel
import SystemPackage

/// Hooks by tables of the packet filter, one for each interface.
///
/// They belong to a connection to the packet filter and go with that.
final class PacketFilterHooks: Hooks {
    private let tables: PacketFilterTables
    private var installed: [Int32: HookTable] = [:]

    let gate: PacketGate? = nil

    /// Connects to the packet filter of the calling thread's network namespace, and tries there
    /// whether it can do what is needed.
    init() throws(EngineError) {
        do {
            guard let tables = try PacketFilterTables.open() else { throw EngineError.noProgram }
            self.tables = tables
        } catch {
            throw error as? EngineError ?? EngineError("\(error)")
        }
        do {
            try tables.run(Self.trial)
        } catch {
            throw Self.error(error)
        }
    }

    /// One transaction, which leaves nothing behind.
    private static let trial = """
        add table netdev linkcond_trial { flags owner; }
        add chain netdev linkcond_trial up { type filter hook egress device "lo" priority 0; }
        add rule netdev linkcond_trial up meta mark 0x\(String(Detour.mark, radix: 16)) fwd to "lo"
        add chain netdev linkcond_trial down { type filter hook ingress device "lo" priority 0; }
        add rule netdev linkcond_trial down meta mark set 0 accept
        delete table netdev linkcond_trial
        """

    func change(to tables: [Int32: HookTable?], isForced: Bool) throws(EngineError) {
        let changed = tables.filter { installed[$0.key] != $0.value }
        guard !changed.isEmpty else { return }
        if !isForced {
            for case (let index, let table?) in changed {
                let known = installed[index]?.chained ?? []
                try ForeignChains.refuse(
                    at: table.target, table.chained.subtracting(known),
                    before: HookTable.priority)
            }
        }
        let text = changed.map { index, table in
            (installed[index]?.deleteText ?? "") + (table?.addText ?? "")
        }
        do {
            try self.tables.run(text.joined())
        } catch {
            throw Self.error(error)
        }
        for (index, table) in changed { installed[index] = table }
    }

    private static func error(_ refusal: PacketFilterTables.Refusal) -> EngineError {
        refusal.isUnsupported
            ? .noHook(refusal.message)
            : EngineError("nftables refuses what the packet engine needs: \(refusal.message)")
    }

    func end() { tables.end() }

    var descriptor: FileDescriptor? { tables.descriptor }
    var hasEnded: Bool {
        !Readiness.wait(for: [tables.descriptor], timeout: .zero).isEmpty && tables.hasEnded
    }
    var process: Int32? { tables.processID }
}
