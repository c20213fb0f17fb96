import Dispatch
import Foundation
import LinuxKernel
import Synchronization

/// Runs `body` in a network namespace of its own, on a thread of its own, and waits for it.
///
/// The body is the test's task still, so that what it expects counts as the test's. It must not
/// await: behind that it could be on another thread, and so in another namespace.
public func withNewNamespace<Value: Sendable>(
    _ body: @Sendable () throws -> Value
) async throws -> Value {
    let executor = NamespaceExecutor()
    try executor.start()
    defer { executor.stop() }
    return try await withTaskExecutorPreference(executor) { try body() }
}

/// Runs jobs on a thread that has a network namespace of its own.
private final class NamespaceExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isStopped = false
        var failure: (any Error)?
    }

    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)
    private let ready = DispatchSemaphore(value: 0)

    /// Waits until the namespace is there, or throws why it cannot be made.
    func start() throws {
        Thread.detachNewThread { [self] in
            do {
                try NetworkNamespace.withNew { [self] in
                    ready.signal()
                    serve()
                }
            } catch {
                state.withLock { $0.failure = error }
                ready.signal()
            }
        }
        ready.wait()
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        work.signal()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        work.signal()
    }

    private func serve() {
        while true {
            work.wait()
            let next = state.withLock { state -> UnownedJob? in
                state.jobs.isEmpty ? nil : state.jobs.removeFirst()
            }
            if let next {
                unsafe next.runSynchronously(on: asUnownedTaskExecutor())
            } else if state.withLock({ $0.isStopped }) {
                return
            }
        }
    }
}
