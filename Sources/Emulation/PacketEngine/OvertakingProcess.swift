import LinkModel
import LinkUnits

/// Decides which packets skip the delay, and so overtake those on the delay line.
///
/// As in netem: after each overtaking packet, gap - 1 packets are always delayed; from then on each
/// one overtakes with the given probability, until one does.
struct OvertakingProcess: Sendable {
    private var reordering: Reordering?
    private var delayedInRow = 0
    private var random: RandomStream

    init(_ reordering: Reordering?, random: RandomStream) {
        self.reordering = reordering
        self.random = random
    }

    /// Whether any packet may overtake.
    var isActive: Bool { (reordering?.mean ?? .zero) > .zero }

    /// Changes the reordering; the random stream continues.
    mutating func change(to reordering: Reordering?) { self.reordering = reordering }

    /// Whether the next packet overtakes.
    mutating func nextOvertakes() -> Bool {
        guard let reordering, reordering.mean > .zero else { return false }
        guard delayedInRow >= max(1, reordering.gap) - 1, random.isChosen(reordering.mean) else {
            delayedInRow &+= 1
            return false
        }
        delayedInRow = 0
        return true
    }
}
