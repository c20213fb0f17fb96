import LinuxKernel
import Synchronization
import SystemPackage

/// What the relay's thread is told from outside, and what it says at its end.
final class RelayOrders: Sendable {
    private let wakeUp: WakeUp
    private let hasEnded: WakeUp
    private let deadline = Mutex<ContinuousClock.Instant?>(nil)
    private let resets = Atomic<Int>(0)

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

    /// How much longer what is under way is waited for; nil: nobody has asked for an end.
    var patience: Duration? {
        deadline.withLock { deadline in deadline.map { max(.zero, $0 - .now) } }
    }

    /// Asks for the end when nothing is under way any more, or else after `limit`.
    func finish(within limit: Duration) {
        deadline.withLock { $0 = .now + limit }
        wakeUp.signal()
    }

    /// Asks for the end at once.
    func stop() { finish(within: .zero) }

    func countResets(_ count: Int) { resets.store(count, ordering: .releasing) }

    func reportEnd() { hasEnded.signal() }
}
