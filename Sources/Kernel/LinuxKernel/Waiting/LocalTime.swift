import Glibc

/// A moment as the clocks on the wall show it: in the time zone of the host, or of `TZ`.
public struct LocalTime: Sendable, Hashable {
    /// The day of the week; 0 is Sunday.
    public let weekday: Int
    /// The minutes since midnight.
    public let minute: Int

    /// Makes a time.
    public init(weekday: Int, minute: Int) {
        (self.weekday, self.minute) = (weekday, minute)
    }

    /// The local time, `secondsSince1970`.
    public init(secondsSince1970: Int64) {
        var time = time_t(secondsSince1970)
        var parts = unsafe tm()
        _ = unsafe localtime_r(&time, &parts)
        self.init(
            weekday: unsafe Int(parts.tm_wday),
            minute: unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min))
    }

    /// Now.
    public static var now: LocalTime {
        LocalTime(secondsSince1970: KernelClock.realtime.components.seconds)
    }
}
