import CLinux

/// The clock by which two programs on one machine measure together.
public enum ProbeClock {
    /// The time since the machine started; it never jumps (`CLOCK_MONOTONIC`).
    public static var now: Duration { .nanoseconds(lc_probe_clock()) }

    /// Has sleeps of the calling thread end as exactly as the kernel can.
    ///
    /// Unless asked, it may end them 50 us late to save power (`PR_SET_TIMERSLACK`).
    public static func wakePrecisely() { lc_probe_wake_precisely() }
}

extension Duration {
    /// The whole nanoseconds, as C has a time; at most 292 years.
    var cNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isSumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isOverflow || isSumOverflow ? (seconds > 0 ? .max : .min) : sum
    }
}
