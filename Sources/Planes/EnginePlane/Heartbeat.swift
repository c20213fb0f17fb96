import LinuxKernel
import Synchronization

/// Shows the guardian, and holds the gate open, as long as the engine goes on.
///
/// A thread of its own beats, so that work which takes long is not taken for standing still: the
/// thread that does the work says how long it may take, and the beats end with that time.
final class Heartbeat: Sendable {
    /// The time from one beat to the next.
    static let interval = Duration.milliseconds(100)
    /// Without a beat for so long, the engine stands still. A tenth less than a second, after which
    /// traffic is to flow.
    static let limit = Duration.milliseconds(900)

    private let pipe: HeartbeatPipe
    private let gate: any Gate
    /// Until when the work may take, in nanoseconds of the kernel's clock.
    private let deadline = Atomic<Int64>(0)
    private let hasGuardian = Atomic<Bool>(true)

    /// Begins to beat, for work that may take so long.
    init(_ pipe: HeartbeatPipe, gate: any Gate, allowing duration: Duration) throws(KernelError) {
        self.pipe = pipe
        self.gate = gate
        allow(duration)
        // From now on the guardian is on its guard.
        beat()
        _ = try KernelThread(named: "heartbeat") { [self] in
            while true {
                beat()
                _ = Readiness.wait(for: [], timeout: Self.interval)
            }
        }
    }

    /// Whether nobody watches over the engine any more.
    var isUnguarded: Bool { !hasGuardian.load(ordering: .relaxed) }

    /// Says that what is done from now on may take so long.
    func allow(_ duration: Duration) {
        let moment = (KernelClock.monotonic + duration) / .nanoseconds(1)
        deadline.store(Int64(moment), ordering: .relaxed)
    }

    private func beat() {
        let now = Int64(KernelClock.monotonic / .nanoseconds(1))
        guard now < deadline.load(ordering: .relaxed) else { return }
        gate.hold(for: Self.limit)
        if !pipe.beat() { hasGuardian.store(false, ordering: .relaxed) }
    }
}
