import DataPlane
import LinuxKernel
import TrafficControl

/// Marks on outgoing packets that tell an interface's hook in which control groups their sockets
/// were opened, as bits for the slots of conditions.
///
/// nftables knows control groups where the host sends, but not at the interface. The marks are set
/// last there, after routing, and only on packets of chosen groups.
struct GroupMarks {
    private let interface: Interface
    private let ways: [HookTable.Way]

    /// Nil if the ways choose no groups.
    init?(_ ways: [HookTable.Way], of interface: Interface) {
        var slots: Set<Int> = []
        self.ways = ways.filter {
            !$0.selector.included.groups.isEmpty && slots.insert($0.redirect.slot).inserted
        }
        self.interface = interface
        guard !self.ways.isEmpty else { return nil }
    }

    /// Says that the other bits are those of slots, of which there are 24.
    static let tag: UInt32 = 0x2c00_0000
    static let tagMask: UInt32 = 0xff00_0000

    /// What the mark of a packet has under a mask if it is of a group that a slot chooses.
    static func match(slot: Int) -> (mask: String, value: String) {
        (hexadecimal(tagMask | 1 << slot), hexadecimal(tag | 1 << slot))
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        "0x" + String(number, radix: 16)
    }

    private var table: String { "inet \(HookTable.namePrefix)\(interface.index)" }

    /// The commands that create them.
    var commands: [String] {
        let mask = Self.hexadecimal(Self.tagMask)
        let tag = Self.hexadecimal(Self.tag)
        let chains = ways.flatMap { way in
            let chain = "owners\(way.redirect.slot)"
            return [
                "add chain \(table) \(chain)",
                "add rule \(table) \(chain) meta mark & \(mask) != \(tag) meta mark set \(tag)",
                "add rule \(table) \(chain) meta mark set meta mark | "
                    + Self.hexadecimal(1 << way.redirect.slot),
            ]
        }
        return ["add table \(table) { flags owner; }"] + chains
            + ["add chain \(table) sent { type filter hook output priority 300; }"]
            + ways.flatMap { way in
                way.groups.map { group in
                    // What the engine sends itself, on a loopback, has its mark and keeps it.
                    "add rule \(table) sent oif \(interface.index) "
                        + "meta mark != \(Self.hexadecimal(Redirect.mark)) "
                        + "socket cgroupv2 level \(group.level) \"\(group.path)\" "
                        + "jump owners\(way.redirect.slot)"
                }
            }
    }

    /// The command that deletes them.
    var deleteCommand: String { "delete table \(table)" }
}

/// A chosen control group that exists.
struct PresentGroup: Hashable {
    /// Its path below `/sys/fs/cgroup`.
    let path: String
    /// How deep it is in the tree.
    let level: Int
    /// The kernel's number, to which nft translates the path. A group that is made again has another.
    let number: UInt64

    /// Those of a selector's groups that exist now.
    static func all(of selector: TrafficSelector) -> [PresentGroup] {
        guard !selector.included.groups.isEmpty, let tree = ControlGroupTree.host else { return [] }
        return selector.included.groups.compactMap { group in
            tree.number(of: group.path).map {
                PresentGroup(path: tree.path(of: group.path), level: group.level, number: $0)
            }
        }
    }
}
