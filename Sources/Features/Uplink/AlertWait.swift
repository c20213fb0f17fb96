import LinuxKernel

/// Waits for events, and stays awake for a moment if the next one is likely to follow at once.
///
/// Where messages go to and fro within the host, waking the relay for each of them takes longer than
/// its work: most of all on a virtual machine, whose sleeping processors have to be woken by the
/// hypervisor.
struct AlertWait {
    /// Whether the last event came soon after the wait had begun, and so the next one may.
    private var isNextSoon = false
    /// Until when others need the processor.
    private var busyUntil: ContinuousClock.Instant
    private let now: () -> ContinuousClock.Instant

    /// How long to stay awake at most. A message and its answer take a fifth of it.
    private static let limit = Duration.microseconds(100)
    /// How long they may take if everybody has to be woken.
    private static let sleepyLimit = Duration.microseconds(200)
    /// Who handles a message on the same processor takes less. After a longer absence somebody had the
    /// processor who has more to do.
    private static let longestAbsence = Duration.microseconds(60)
    private static let respite = Duration.milliseconds(20)

    /// Makes one that stays asleep at first.
    init(now: @escaping () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        busyUntil = now()
    }

    /// Waits for events; returns none after `timeout`, or after a signal.
    ///
    /// - Parameters:
    ///   - timeout: nil to wait without limit.
    ///   - mayStayAwake: Whether a message was passed on that may be answered.
    ///   - look: Waits asleep, at most for its argument.
    mutating func wait<Event, Failure>(
        timeout: Duration?, mayStayAwake: Bool,
        _ look: (_ timeout: Duration?) throws(Failure) -> [Event]
    ) throws(Failure) -> [Event] {
        let begin = now()
        guard mayStayAwake, isNextSoon, begin >= busyUntil, timeout != .zero else {
            let events = try look(timeout)
            isNextSoon = now() - begin < Self.sleepyLimit
            return events
        }
        let events = try stayAwake(since: begin, look)
        isNextSoon = !events.isEmpty
        return isNextSoon ? events : try look(timeout)
    }

    private mutating func stayAwake<Event, Failure>(
        since begin: ContinuousClock.Instant, _ look: (Duration?) throws(Failure) -> [Event]
    ) throws(Failure) -> [Event] {
        var last = begin
        repeat {
            let events = try look(.zero)
            guard events.isEmpty else { return events }
            let now = now()
            if now - last > Self.longestAbsence {
                busyUntil = now + Self.respite
                return []
            }
            last = now
            // The receiver of the message may wait for this processor.
            KernelThread.yield()
        } while last - begin < Self.limit
        return []
    }
}
