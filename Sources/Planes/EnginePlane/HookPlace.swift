import DataPlane
import LinkModel
import Netlink
import TrafficControl

/// The place of an engine's filters at an interface's `clsact`, identified by preference, so that
/// any later process recognises them as ours.
///
/// They come after all others except those of the kernel data plane: foreign filters act first. Of
/// the engine's own, the gate comes first, then a guard of the conditions for some traffic, then
/// these, then those for all traffic; each in the order of their slots.
struct HookPlace: Hashable {
    let direction: Direction
    let preference: UInt16

    private static let gates: UInt16 = 61_181
    private static let guards: UInt16 = 61_581
    private static let selective: UInt16 = 62_181
    private static let general: UInt16 = 63_181
    // Separate for the two directions: the kernel lists the u32 filters of both hooks together.
    private static let down: UInt16 = 300
    /// One for each protocol: the kernel requires different preferences.
    private static let protocols = Filter.NetworkProtocol.allCases

    /// The place of the gate of a direction.
    static func gate(_ direction: Direction) -> HookPlace {
        HookPlace(direction: direction, preference: gates + (direction == .up ? 0 : down))
    }

    /// The place of the guard of a direction for a protocol's packets.
    static func `guard`(
        _ direction: Direction, _ networkProtocol: Filter.NetworkProtocol
    ) -> HookPlace {
        HookPlace(
            direction: direction,
            preference: guards + (direction == .up ? 0 : down) + number(of: networkProtocol))
    }

    private static func number(of networkProtocol: Filter.NetworkProtocol) -> UInt16 {
        UInt16(protocols.firstIndex(of: networkProtocol) ?? 0)
    }

    private init(direction: Direction, preference: UInt16) {
        self.direction = direction
        self.preference = preference
    }

    /// The place of the filters that redirect a protocol's packets for some conditions.
    init(_ way: HookTable.Way, _ networkProtocol: Filter.NetworkProtocol) {
        direction = way.redirect.direction
        preference =
            (way.selector.isSelective ? Self.selective : Self.general)
            + (direction == .up ? 0 : Self.down)
            + UInt16(way.redirect.slot * Self.protocols.count)
            + Self.number(of: networkProtocol)
    }

    /// The place of a filter with this preference; nil for one that is not ours.
    init?(preference: UInt16) {
        let protocols = UInt16(Self.protocols.count)
        let slots = UInt16(Slot.all.count) * protocols
        for (base, width) in [
            (Self.gates, 1), (Self.guards, protocols), (Self.selective, slots),
            (Self.general, slots),
        ] {
            for direction in Direction.allCases {
                let first = base + (direction == .up ? 0 : Self.down)
                guard (first..<first + width).contains(preference) else { continue }
                self.init(direction: direction, preference: preference)
                return
            }
        }
        return nil
    }

    /// The hook.
    var hook: QdiscHandle { direction.hook }

    /// Messages that delete all filters at these places.
    static func deletions(
        _ places: some Sequence<HookPlace>, from interface: Interface
    ) -> [NetlinkMessage] {
        // The gate last: without it, packets that the engine has handled would return to it.
        places.sorted { $0.preference > $1.preference }.map {
            Filter.delete(interface: interface, parent: $0.hook, preference: $0.preference)
        }
    }
}
