import LinkModel
import Netlink
import TrafficControl

/// An ifb of ours with another alias than our mark, known by its index and by its name or group.
struct UnmarkedIFB: Hashable {
    var ifb: Interface
    /// The index of the interface whose packets it gets.
    var target: Int32
    var direction: Direction
    var slot: Int

    /// Nil for any other interface, and for an ifb with a mark.
    init?(_ link: Link) {
        guard link.kind == "ifb", let part = Ownership.part(ofIndex: link.index),
            OwnershipMark(alias: link.alias) == nil
        else { return nil }
        let name = Ownership.ifb(of: part.target, part.direction, slot: part.slot).name
        guard link.isOwn || link.name == name else { return nil }
        ifb = Interface(index: link.index, name: link.name)
        (target, direction, slot) = part
    }
}
