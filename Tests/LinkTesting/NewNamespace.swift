import Dispatch
import Foundation
import LinuxKernel
import Synchronization

/// Runs `body` in a network namespace of its own, on a thread of its own, and waits for it.
///
/// It is a `TestNamespace`: what has been started in it ends with it.
///
/// The body is the test's task still, so that what it expects counts as the test's. It must not
/// await: behind that it could be on another thread, and so in another namespace.
public func withNewNamespace<Value: Sendable>(
    _ body: @Sendable () throws -> Value
) async throws -> Value {
    let executor = ThreadExecutor()
    defer { executor.stop() }
    // The thread is back before it hands the task on: to do that the runtime may start a thread
    // of its pool, and a thread begins in the namespace of the one that starts it.
    return try await withTaskExecutorPreference(executor) {
        let namespace = try TestNamespace()
        return try NetworkNamespace.visit(namespace.descriptor) { Result { try body() } }.get()
    }
}

/// Runs jobs on a thread of its own.
private final class ThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)

    init() {
        Thread.detachNewThread { [self] in serve() }
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
