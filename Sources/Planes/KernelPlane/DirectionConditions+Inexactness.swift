import LinkModel
import LinkUnits

extension DirectionConditions {
    /// What the kernel's qdiscs do less exactly than the packet engine; nil if nothing.
    ///
    /// Only drop-tail without duplicates has a netem behind the bottleneck (`ConditioningTree`), so
    /// that lost packets have used bandwidth. And only netem makes a bottleneck on which a packet
    /// takes its time also after a pause: a shaper has a burst of two packets.
    var inexactness: String? {
        if jitter != nil { return "netem's jitter grows with the number of packets" }
        if aqm != .dropTail {
            return loss == .none
                ? "the first packets after a pause pass the kernel's AQM at once"
                : "the kernel loses packets before an AQM, and not behind the bottleneck"
        }
        guard duplicate > .zero else { return nil }
        if bandwidth != nil {
            return loss == .none
                ? "netem's copies of packets use up bandwidth"
                : "netem loses and copies packets before the bottleneck"
        }
        return loss == .none ? nil : "netem loses no packet of which it makes a copy"
    }
}
