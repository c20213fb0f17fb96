extension Duration {
    /// Longer than any real wait, but short enough that millions of it add up without overflow.
    static let eternity = Duration.seconds(1_000_000_000)

    /// The duration clamped to zero and `eternity`, so that no condition can overflow the clock.
    var bounded: Duration { min(max(self, .zero), .eternity) }
}
