/// Learns how long the machine takes to wake a thread, to have it woken as much earlier.
///
/// From a timer's interrupt until the thread runs it takes some microseconds, on a virtual machine
/// some tens. What is left of the time then, it waits awake.
struct WakeUpTime {
    /// A thread that waits awake longer would take a processor from others for too long.
    static let mostUsualDelay = Duration.microseconds(100)
    /// Less than a thread takes to go to sleep and wake up.
    static let sleeplessTime = Duration.microseconds(10)
    private static let step = Duration.microseconds(1)

    /// The median of the delays, about: half of the wake-ups are later than they should be, and with
    /// a smaller share the thread would be awake for longer.
    private(set) var usualDelay = Duration.zero

    /// When to be woken in order to be there at `due`: `due` itself if it is too near for being woken
    /// earlier, since waiting awake from one packet to the next would take a whole processor; `now` if
    /// it is so near that going to sleep would take more of the processor than staying awake.
    func time(for due: Duration, at now: Duration) -> Duration {
        guard due - now > Self.sleeplessTime else { return now }
        let early = due - usualDelay
        return early > now ? early : due
    }

    /// Takes the delay of a wake-up into account.
    mutating func learn(_ delay: Duration) {
        if delay > usualDelay {
            usualDelay = min(usualDelay + Self.step, Self.mostUsualDelay)
        } else {
            usualDelay = max(usualDelay - Self.step, .zero)
        }
    }
}
