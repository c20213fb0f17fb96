import DataPlane
import LinkModel
import TrafficControl

/// Where the filters of one direction of some conditions stand, told by their preferences.
///
/// Behind all others: what foreign filters do is done first, and what they take is not ours to
/// condition. Conditions that choose their traffic come before those for all of it, and among
/// themselves in the order of their slots.
struct FilterPlace: Hashable {
    var direction: Direction
    var slot: Int
    var isSelective: Bool

    /// Filters that the kernel keeps together: those of one preference, which serves one protocol.
    struct Group: Hashable {
        var preference: UInt16
        var networkProtocol: Filter.NetworkProtocol
    }

    /// The hook that they belong to.
    var hook: QdiscHandle { direction.hook }

    var neighborDiscovery: Group { Group(preference: base, networkProtocol: .ipv6) }

    /// The filters that look at packets of a protocol.
    func group(_ networkProtocol: Filter.NetworkProtocol) -> Group {
        let offset: UInt16 =
            switch networkProtocol {
            case .ipv4: 1
            case .ipv6: 2
            case .vlan: 3
            }
        return Group(preference: base + offset, networkProtocol: networkProtocol)
    }

    /// All that there can be, those first that send packets elsewhere.
    var groups: [Group] {
        [group(.ipv4), group(.ipv6), group(.vlan), neighborDiscovery]
    }

    /// Whether its filters see packets before those of `other`.
    func precedes(_ other: FilterPlace) -> Bool { base < other.base }

    // Apart for the two directions: the kernel lists the u32 filters of both hooks together.
    private var base: UInt16 {
        (isSelective ? 64_181 : 65_181) + (direction == .up ? 0 : 100) + 4 * UInt16(slot)
    }

    /// Every place of ours, by the preferences in it.
    private static let byPreference: [UInt16: FilterPlace] = {
        var places: [UInt16: FilterPlace] = [:]
        for direction in Direction.allCases {
            for isSelective in [true, false] {
                for slot in Slot.all {
                    let place = FilterPlace(
                        direction: direction, slot: slot, isSelective: isSelective)
                    for group in place.groups { places[group.preference] = place }
                }
            }
        }
        return places
    }()

    /// The place that a filter with this preference stands in; nil for one that is not ours.
    init?(preference: UInt16) {
        guard let place = Self.byPreference[preference] else { return nil }
        self = place
    }

    init(direction: Direction, slot: Int, isSelective: Bool) {
        self.direction = direction
        self.slot = slot
        self.isSelective = isSelective
    }
}
