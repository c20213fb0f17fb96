import LinuxKernel
import PacketLoop
import Synchronization

/// Sends heartbeats to the guardian, and holds the gate open, while the engine is running.
///
/// A dedicated thread sends them, so that long work is not mistaken for a hang: the working thread
/// sets a time limit for its work, and the heartbeats stop when it expires.
final class Heartbeat: Sendable {
    /// The time between heartbeats.
    static let interval = Duration.milliseconds(100)
    /// Without a heartbeat for so long, the engine hangs. A tenth less than a second, after which
    /// traffic must flow.
    static let limit = Duration.milliseconds(900)

    private let pipe: HeartbeatPipe
    private let gate: any Gate
    private let lease: RedirectLease
    /// The deadline of the current work, in nanoseconds of the kernel's clock.
    private let deadline = Atomic<Int64>(0)
    private let hasGuardian = Atomic<Bool>(true)

    /// Starts the heartbeat, for work that may take so long.
    init(
        _ pipe: HeartbeatPipe, gate: any Gate, lease: RedirectLease, allowing duration: Duration
    ) throws(KernelError) {
        self.pipe = pipe
        self.gate = gate
        self.lease = lease
        allow(duration)
        // From now on the guardian expects heartbeats.
        beat()
        _ = try KernelThread(named: "heartbeat") { [self] in
            // Busy loops, the engine's own among them, are no hang.
            KernelThread.letOnlyCallingThreadPrecede()
            while true {
                beat()
                _ = Readiness.wait(for: [], timeout: Self.interval)
            }
        }
    }

    /// Whether the guardian is gone.
    var isUnguarded: Bool { !hasGuardian.load(ordering: .relaxed) }

    /// Sets how long the work that starts now may take.
    func allow(_ duration: Duration) {
        let moment = (KernelClock.monotonic + duration) / .nanoseconds(1)
        deadline.store(Int64(moment), ordering: .relaxed)
    }

    private func beat() {
        let now = Int64(KernelClock.monotonic / .nanoseconds(1))
        guard now < deadline.load(ordering: .relaxed) else { return }
        lease.extend(by: Self.limit)
        gate.hold(for: Self.limit)
        if !pipe.beat() { hasGuardian.store(false, ordering: .relaxed) }
    }
}
