import Synchronization

/// Counters of the relay, readable from other threads.
final class RelayCounters: Sendable {
    private let refused = Mutex(0)

    /// How many connections were refused for lack of file descriptors.
    var refusedConnections: Int { refused.withLock { $0 } }

    func countRefusedConnection() { refused.withLock { $0 += 1 } }
}
