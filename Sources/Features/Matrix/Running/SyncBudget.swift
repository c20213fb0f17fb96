/// Decides which results are forced to the medium: waiting for it costs milliseconds, in which no
/// other cell begins.
struct SyncBudget {
    /// How much longer than the last wait the time before the next one is, at least.
    private static let ratio = 20
    private var next: ContinuousClock.Instant?

    /// Whether a result may be forced to the medium now.
    func allowsSync(at now: ContinuousClock.Instant) -> Bool {
        next.map { $0 <= now } ?? true
    }

    /// Records how long it took.
    mutating func note(from begin: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
        next = end + (end - begin) * Self.ratio
    }
}
