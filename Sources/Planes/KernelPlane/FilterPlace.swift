import DataPlane
import LinkModel
import TrafficControl

/// The place of the filters of some conditions in one direction, identified by preference.
///
/// They come after all other filters: foreign filters act first, and packets that they take are not
/// ours to condition. Conditions for some traffic precede those for all traffic, each in the order
/// of their slots. Before them there may be a guard (`SelectionFilter.guarding`).
struct FilterPlace: Hashable {
    var direction: Direction
    var slot: Int
    var isSelective: Bool

    /// Filters of one preference, which serves one protocol; the kernel keeps them together.
    struct Group: Hashable {
        var preference: UInt16
        var networkProtocol: Filter.NetworkProtocol
    }

    /// Their hook.
    var hook: QdiscHandle { direction.hook }

    var neighborDiscovery: Group { Group(preference: base, networkProtocol: .ipv6) }

    /// The group of filters for packets of a protocol.
    func group(_ networkProtocol: Filter.NetworkProtocol) -> Group {
        let offset: UInt16 =
            switch networkProtocol {
            case .ipv4: 1
            case .ipv6: 2
            case .vlan: 3
            case .providerVLAN: 4
            }
        return Group(preference: base + offset, networkProtocol: networkProtocol)
    }

    /// All possible groups, redirecting ones first.
    var groups: [Group] {
        [group(.ipv4), group(.ipv6), group(.vlan), neighborDiscovery]
    }

    /// Whether its filters see packets before those of `other`.
    func precedes(_ other: FilterPlace) -> Bool { base < other.base }

    // Separate for the two directions: the kernel lists the u32 filters of both hooks together.
    private var base: UInt16 {
        (isSelective ? 63_901 : 64_709) + (direction == .up ? 0 : 404)
            + 4 * UInt16(slot - Self.guardSlot)
    }

    private static let guardSlot = -1

    /// The place of the guard of a direction.
    static func `guard`(_ direction: Direction) -> FilterPlace {
        FilterPlace(direction: direction, slot: guardSlot, isSelective: true)
    }

    /// Whether it is that of a guard, and not of conditions.
    var isGuard: Bool { slot == Self.guardSlot }

    /// All our places, by preference.
    private static let byPreference: [UInt16: FilterPlace] = {
        var places: [UInt16: FilterPlace] = [:]
        for direction in Direction.allCases {
            let conditions = [true, false].flatMap { isSelective in
                Slot.all.map {
                    FilterPlace(direction: direction, slot: $0, isSelective: isSelective)
                }
            }
            for place in [.guard(direction)] + conditions {
                for group in place.groups { places[group.preference] = place }
            }
        }
        return places
    }()
}

extension FilterPlace {
    /// The place of a filter with this preference; nil for one that is not ours.
    init?(preference: UInt16) {
        guard let place = Self.byPreference[preference] else { return nil }
        self = place
    }
}
