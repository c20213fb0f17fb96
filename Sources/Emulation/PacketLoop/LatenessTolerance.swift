/// How late a packet may leave a link without changing the link's character.
///
/// A tenth of the delay, since apps never see a steadier delay than that; at least a millisecond,
/// since programs are not woken more punctually.
struct LatenessTolerance {
    private static let share = 10
    private static let least = Duration.milliseconds(1)

    /// The most that a packet may be late.
    let limit: Duration

    /// The tolerance of a link with this one-way delay.
    init(delay: Duration) {
        limit = max(Self.least, delay / Self.share)
    }
}
