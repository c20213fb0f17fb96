import DataPlane
import LinkModel
import TrafficControl

/// The hook of an interface with our filters there, as found in the kernel.
struct FoundHook {
    /// Whether it is there at all.
    var exists: Bool
    /// The groups of our filters by place.
    var groups: [FilterPlace: Set<FilterPlace.Group>]
}

extension FilterPlace {
    /// The groups without which not the packets that `selector` chooses are redirected.
    func needed(by selector: TrafficSelector) -> Set<Group> {
        // Which groups there are does not depend on the form. Words can be too many to count.
        let form = selector.prefersPrograms ? FilterForm.programs(headerLength: 0) : .words
        let needed = Filter.NetworkProtocol.allCases.filter {
            selector.filters(direction, $0, form).contains(where: \.isChosen)
        }.map(group)
        let sparesNothing = U32Selection(selector, direction).neighborDiscovery.isEmpty
        return Set(sparesNothing ? needed : needed + [neighborDiscovery])
    }
}
