import CLinux

/// A timer that some threads set, again and again, and that another one waits for. To set it wakes nobody
/// before its time.
public final class AdjustableTimer: Sendable {
    private let timer: OwnedDescriptor

    /// Makes a timer that is not set (`timerfd_create(2)` with `CLOCK_MONOTONIC`).
    public init() throws(KernelError) {
        timer = try OwnedDescriptor(lc_timer_create(), creating: "a timer")
    }

    /// Replaces the time for which it is set.
    ///
    /// - Parameter moment: of `KernelClock.monotonic`; one that has passed ends the wait at once, nil never.
    public func set(to moment: Duration?) {
        lc_timer_set(timer.number, moment.map { max(1, $0.cNanoseconds) } ?? 0)
    }

    /// Waits until the time for which it is set, at most until `moment`. It may return early.
    ///
    /// - Returns: whether that time has come; once for each `set(to:)`.
    public func wait(until moment: Duration) -> Bool {
        lc_timer_wait(timer.number, (moment - KernelClock.monotonic).cNanoseconds) == 1
    }
}
