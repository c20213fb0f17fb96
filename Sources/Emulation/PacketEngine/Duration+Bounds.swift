extension Duration {
    /// Longer than anybody waits, and so short that sums of millions of it do not overflow.
    static let eternity = Duration.seconds(1_000_000_000)

    /// The duration between zero and `eternity`, so that no condition can overflow the clock.
    var bounded: Duration { min(max(self, .zero), .eternity) }
}
