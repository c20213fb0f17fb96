import LinuxKernel
import Synchronization
import SystemPackage

/// Orders to the relay's thread, and what it counts.
final class RelayOrders: Sendable {
    private let wakeUp: WakeUp
    private let hasEnded: WakeUp
    private let deadline = Mutex<ContinuousClock.Instant?>(nil)
    private let resets = Atomic<Int>(0)
    private let refusals = Atomic<Int>(0)

    init() throws(Errno) {
        wakeUp = try WakeUp()
        hasEnded = try WakeUp()
    }

    /// Readable when there is an order.
    var descriptor: FileDescriptor { wakeUp.descriptor }

    /// Readable when the thread has ended.
    var end: FileDescriptor { hasEnded.descriptor }

    /// How many connections were reset at the end.
    var resetConnections: Int { resets.load(ordering: .acquiring) }

    /// How many connections were refused for lack of file descriptors.
    var refusedConnections: Int { refusals.load(ordering: .relaxed) }

    /// How much longer to wait for data in flight; nil: no order to stop.
    var patience: Duration? {
        deadline.withLock { deadline in deadline.map { max(.zero, $0 - .now) } }
    }

    /// Asks the thread to stop when nothing is in flight any more, or after `limit`.
    func finish(within limit: Duration) {
        deadline.withLock { $0 = .now + limit }
        wakeUp.signal()
    }

    /// Asks the thread to stop immediately.
    func stop() { finish(within: .zero) }

    func countResets(_ count: Int) { resets.store(count, ordering: .releasing) }

    func countRefusedConnection() { refusals.add(1, ordering: .relaxed) }

    func reportEnd() { hasEnded.signal() }
}
