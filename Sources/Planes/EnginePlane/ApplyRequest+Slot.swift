import DataPlane

extension ApplyRequest {
    /// The slot for these conditions on an interface: `former` if they have one, otherwise a new one.
    func slot(
        on interface: String, former: Int?, beside taken: Set<Int>
    ) throws(EngineError) -> Int {
        let slots = OwnerMarks.concern(selector) ? OwnerMarks.slots : Slot.all
        guard let slot = former ?? Slot.next(beside: taken, in: slots), slots.contains(slot) else {
            throw slots == Slot.all
                ? .tooManyConditions(interface) : .tooManyOwners(interface)
        }
        return slot
    }
}
