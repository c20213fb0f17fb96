import LinkUnits

/// The length from which on the other end takes no frames, found by what the kernel says.
///
/// The end of a wire with a smaller MTU loses longer frames, and the kernel says nothing else than that
/// it has no room, as when it has none for a moment. To wait for room would then hold up all others.
struct LengthLimit {
    /// From here on no frame passed; nil if nothing is known of a limit.
    private var least: Int?
    /// The frames for which there was no room for as long as one waits, since any passed.
    private var refused: (shortest: Int, packets: UInt64)?

    /// Whether it has to be told what passes.
    var isWatching: Bool { least != nil || refused != nil }

    /// Whether it makes no sense to wait for room for such a frame.
    func forbids(_ length: Int) -> Bool { least.map { length >= $0 } ?? false }

    /// Records a frame for which there was no room.
    mutating func refuse(_ length: Int, packets: UInt64) {
        refused = (
            min(length, refused?.shortest ?? length), packets.addingSaturated(refused?.packets ?? 0)
        )
    }

    /// Records that a frame passed, and returns how many packets were refused before for their length.
    mutating func pass(_ length: Int) -> UInt64 {
        if forbids(length) { least = nil }
        guard let refused = refused.take(), length < refused.shortest else { return 0 }
        least = min(least ?? refused.shortest, refused.shortest)
        return refused.packets
    }
}
