import CLinux
import Glibc

/// The clocks of the kernel.
public enum KernelClock {
    /// The time since the machine started; it never jumps (`CLOCK_MONOTONIC`).
    public static var monotonic: Duration { .nanoseconds(lc_clock(CLOCK_MONOTONIC)) }

    /// The time since 1970, which an administrator may set (`CLOCK_REALTIME`).
    public static var realtime: Duration { .nanoseconds(lc_clock(CLOCK_REALTIME)) }

    /// The time since the machine started, also while it was suspended; it never jumps
    /// (`CLOCK_BOOTTIME`).
    public static var boot: Duration { .nanoseconds(lc_clock(CLOCK_BOOTTIME)) }

    /// A time of `boot` in seconds, as seconds since 1970 by the clock as it is set now.
    public static func date(ofBoot seconds: Int64) -> Int64 {
        let start = Int64(((realtime - boot) / .seconds(1)).rounded())
        let (date, isOverflow) = seconds.addingReportingOverflow(start)
        return isOverflow ? .max : date
    }

    /// Lets the calling thread sleep until a time of `monotonic`, or less if a signal arrives.
    public static func sleep(until moment: Duration) {
        let nanoseconds = max(0, moment.cNanoseconds)
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
    }

    /// The CPU time of the calling thread.
    public static var threadTime: Duration { .nanoseconds(lc_clock(CLOCK_THREAD_CPUTIME_ID)) }

    /// The CPU time of all threads of this process together.
    public static var processTime: Duration { .nanoseconds(lc_clock(CLOCK_PROCESS_CPUTIME_ID)) }
}

extension Duration {
    /// The whole nanoseconds, as a C time; at most 292 years.
    var cNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isOverflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isSumOverflow) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isOverflow || isSumOverflow ? (seconds > 0 ? .max : .min) : sum
    }
}
