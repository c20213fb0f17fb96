import LinuxKernel
import Synchronization

/// A thread that does the work of a direction's thread when that is overdue.
///
/// A busy machine keeps a thread waiting that has just run: it is not let in again at once, and then the
/// kernel looks only at its next tick, after up to 4 ms. The wake-up of another thread makes it look. So
/// a stand-in wakes up where work may be overdue, though not more often than there is work: with many
/// links side by side the stand-ins would take the processors. It leaves when it was not needed for a while.
final class StandIn: Sendable {
    /// How long work may be overdue before the stand-in does it.
    static let patience = Duration.microseconds(150)

    private let stay: Duration
    private let timer: AdjustableTimer
    private let plan = Mutex(Plan())
    private let isLeaving = Atomic<Bool>(false)
    private let thread = Mutex<KernelThread?>(nil)

    /// - Parameters:
    ///   - stay: how long it stays after it was last needed.
    ///   - work: does what is due and calls `expect`, or nothing if the direction's thread is at it.
    init(
        named name: String, staying stay: Duration = .seconds(1),
        doing work: @escaping @Sendable () -> Void
    ) throws(KernelError) {
        self.stay = stay
        timer = try AdjustableTimer()
        let started = try KernelThread(named: name) { [self] in standBy(doing: work) }
        thread.withLock { $0 = started }
    }

    /// Whether it has not left by itself.
    var isHere: Bool { !isLeaving.load(ordering: .relaxed) }

    /// Tells it when the next work is due; nil if there is none.
    func expect(_ next: Duration?) {
        guard isHere else { return }
        plan.withLock { plan in
            plan.due = next
            if let next { wake(at: next + Self.patience, &plan) }
        }
    }

    /// Ends it; afterwards it does nothing.
    func dismiss() {
        isLeaving.store(true, ordering: .relaxed)
        timer.set(to: .zero)
        thread.withLock { $0.take() }?.join()
    }

    private func standBy(doing work: () -> Void) {
        KernelThread.makeCallingThreadPunctual()
        var end = KernelClock.monotonic + stay
        while isHere {
            let isTime = timer.wait(until: end)
            let now = KernelClock.monotonic
            if isTime {
                let due = plan.withLock { plan in
                    plan.wakeUp = nil
                    return plan.due
                }
                if let due, due + Self.patience <= now {
                    work()
                    end = now + stay
                }
                plan.withLock { plan in
                    if let due = plan.due { wake(at: max(due, now) + Self.patience, &plan) }
                }
            } else if now >= end {
                isLeaving.store(true, ordering: .relaxed)
            }
        }
    }

    private func wake(at moment: Duration, _ plan: inout Plan) {
        if let wakeUp = plan.wakeUp, wakeUp <= moment { return }
        plan.wakeUp = moment
        timer.set(to: moment)
    }
}

/// By the monotonic clock.
private struct Plan {
    /// When the next work is due, if there is any.
    var due: Duration?
    /// For when the timer is set, if it is.
    var wakeUp: Duration?
}
