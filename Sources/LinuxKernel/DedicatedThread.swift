import Glibc
import Synchronization
import SystemPackage

/// Threads for work that changes per-thread state of the kernel.
enum DedicatedThread {
    /// Runs `body` on a new thread, waits for it and passes on what it returns or throws.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) throws -> Value {
        let outcome = Outcome<Value>()
        let work = unsafe Unmanaged.passRetained(Work { outcome.set(Result { try body() }) })
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { context in
                if let context = unsafe context {
                    unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                }
                return nil
            }, unsafe work.toOpaque())
        guard status == 0 else {
            unsafe work.release()
            throw KernelError(.create, subject: "a thread", errno: Errno(rawValue: status))
        }
        pthread_join(thread, nil)
        return try outcome.get()
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
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
