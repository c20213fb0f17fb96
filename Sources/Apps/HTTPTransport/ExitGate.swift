import Glibc
import Synchronization

/// Keeps threads out of libraries that end with the process.
///
/// `exit(3)` runs on one thread while all others go on, and frees what OpenSSL has for the process:
/// programs that ended with an exchange crashed now and then. So the gate is closed first, and whoever
/// is inside finishes what it does.
final class ExitGate: Sendable {
    /// That of the process, which its exit closes. What a process does at its exit it does in
    /// reverse order, so that libraries have to be prepared before the gate is used first.
    static let shared: ExitGate = {
        let gate = ExitGate()
        atexit { ExitGate.shared.close(within: .seconds(1)) }
        return gate
    }()

    private let inside = Atomic(0)
    private let isClosed = Atomic(false)

    /// Calls `body`, unless the gate is closed; nil: it is.
    @discardableResult
    func pass<Value>(_ body: () -> Value) -> Value? {
        inside.add(1, ordering: .sequentiallyConsistent)
        defer { inside.subtract(1, ordering: .sequentiallyConsistent) }
        guard !isClosed.load(ordering: .sequentiallyConsistent) else { return nil }
        return body()
    }

    /// Lets nobody in any more, and waits until nobody is inside, at most for `limit`: a thread that
    /// ends the process from inside would wait for itself.
    func close(within limit: Duration) {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        let deadline = ContinuousClock.now + limit
        while inside.load(ordering: .sequentiallyConsistent) > 0, ContinuousClock.now < deadline {
            usleep(200)
        }
    }

    /// Where a thread stays when it may not pass.
    static func waitForTheEnd() -> Never {
        while true { pause() }
    }
}
