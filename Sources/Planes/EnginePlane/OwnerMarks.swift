import DataPlane
import LinuxKernel
import TrafficControl

/// Marks on outgoing packets that tell the hooks of interfaces in which control groups their sockets
/// were opened, and by which programs, as bits for the slots of conditions.
///
/// The kernel knows these where the host sends, but not at the interface. The marks are set last there,
/// after routing, and only on packets of chosen owners.
struct OwnerMarks: Hashable {
    let rules: Set<SocketOwners.Rule>

    /// Those that the tables of all interfaces need.
    init(_ tables: some Collection<HookTable>) {
        rules = Set(tables.flatMap { table in table.ways.flatMap { Self.rules($0, in: table) } })
    }

    private static func rules(
        _ way: HookTable.Way, in table: HookTable
    ) -> [SocketOwners.Rule] {
        let chosen = way.selector.included
        guard concern(way.selector) else { return [] }
        let groups: [PresentGroup?] = chosen.groups.isEmpty ? [nil] : way.groups
        return groups.map { group in
            SocketOwners.Rule(
                interface: table.target.index, group: group,
                names: Set(chosen.processes.map(\.description)),
                bit: bit(slot: way.redirect.slot),
                sparesOthers: group == nil && table.sparesOthers)
        }
    }

    /// Whether what a selector chooses is told by marks.
    static func concern(_ selector: TrafficSelector) -> Bool {
        !selector.included.groups.isEmpty || !selector.included.processes.isEmpty
    }

    /// The slots of conditions that choose such owners: each has a bit of the marks.
    static let slots = 0..<24

    /// Says that the other bits are those of slots.
    private static let tag: UInt32 = 0x2c00_0000
    private static let tagMask: UInt32 = 0xff00_0000

    private static func bit(slot: Int) -> UInt32 { 1 << UInt32(slot) }

    /// What the mark of a packet has under a mask if it is of owners that a slot chooses.
    static func match(slot: Int) -> (mask: String, value: String) {
        (hexadecimal(tagMask | bit(slot: slot)), hexadecimal(tag | bit(slot: slot)))
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        "0x" + String(number, radix: 16)
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
                    tag: Self.tag, mask: Self.tagMask, spared: Redirect.mark))
        } catch {
            throw .noOwnerMarks(error)
        }
    }
}
