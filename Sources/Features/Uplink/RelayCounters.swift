import Synchronization

/// What the relay counts for others to read.
final class RelayCounters: Sendable {
    private let refused = Mutex(0)

    /// How many connections were refused because the process has no descriptors for them.
    var refusedConnections: Int { refused.withLock { $0 } }

    func countRefusedConnection() { refused.withLock { $0 += 1 } }
}
