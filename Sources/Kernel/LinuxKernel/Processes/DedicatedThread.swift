import Synchronization

/// Threads for work that changes per-thread state of the kernel.
enum DedicatedThread {
    /// Runs `body` on a new thread, waits for it and passes on what it returns or throws.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        let outcome = Outcome<Value>()
        try KernelThread(named: "linkcond") { outcome.set(Result { try body() }) }.join()
        return try outcome.get()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        private let result = Mutex<Result<Value, any Error>?>(nil)

        func set(_ value: Result<Value, any Error>) {
            result.withLock { $0 = value }
        }

        func get() throws -> Value {
            guard let result = result.withLock({ $0 }) else {
                preconditionFailure("a thread that was joined has run its work")
            }
            return try result.get()
        }
    }
}
