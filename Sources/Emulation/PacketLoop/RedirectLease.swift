import LinkUnits
import LinuxKernel
import Synchronization

/// Until when filters redirect frames to `RedirectLoop`s: the filters stop by themselves unless the
/// lease is extended, so that traffic flows when this process is kept from running.
///
/// Packets then pass by the link. What was under way on it would arrive after them, out of order,
/// and is dropped.
public final class RedirectLease: Sendable {
    /// In nanoseconds of the monotonic clock; 0: never extended.
    private let end = Atomic<Int64>(0)
    /// The latest end at which the lease was not extended in time; 0: none.
    private let lapse = Atomic<Int64>(0)
    /// The total time without a lease, in nanoseconds.
    private let lapsed = Atomic<Int64>(0)

    /// Makes a lease that begins when it is first extended.
    public init() {}

    /// Extends the lease to this long from now on. Call before the filters learn of it, in one
    /// thread.
    public func extend(by duration: Duration) { extend(by: duration, at: KernelClock.monotonic) }

    func extend(by duration: Duration, at time: Duration) {
        let now = Int64(time.wholeNanoseconds)
        let former = end.load(ordering: .relaxed)
        if former > 0, former <= now {
            lapse.store(former, ordering: .relaxed)
            lapsed.add(now - former, ordering: .relaxed)
        }
        // Whoever sees the new end sees the lapse before it.
        end.store(now + Int64(duration.wholeNanoseconds), ordering: .releasing)
    }

    /// Packets that arrived before this moment, by the monotonic clock, must not leave any more.
    func staleness(at time: Duration) -> Duration {
        let end = end.load(ordering: .acquiring)
        let isOver = end > 0 && end <= Int64(time.wholeNanoseconds)
        return .nanoseconds(isOver ? end : lapse.load(ordering: .relaxed))
    }

    /// How long packets have passed by the links so far.
    var lapsedTime: Duration { .nanoseconds(lapsed.load(ordering: .relaxed)) }
}
