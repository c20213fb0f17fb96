/// How much later than scheduled a packet may leave a link without making it another link.
///
/// A tenth of the delay, since what an app sees of a delay is never steadier than that; and a
/// millisecond where the delay is less than ten, since programs are not woken more punctually.
struct LatenessTolerance {
    private static let share = 10
    private static let least = Duration.milliseconds(1)

    /// The most that a packet may be late.
    let limit: Duration

    /// That of a link with this one-way delay.
    init(delay: Duration) {
        limit = max(Self.least, delay / Self.share)
    }
}
