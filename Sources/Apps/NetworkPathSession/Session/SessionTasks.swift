import Synchronization

/// The running tasks of a session, and whether it takes new ones.
final class SessionTasks: Sendable {
    private struct State {
        var running: [Int: NetworkSessionTask] = [:]
        var isInvalid = false
        var hasTold = false
    }

    private let state = Mutex(State())

    /// The tasks that run, in the order in which they were made.
    var running: [NetworkSessionTask] {
        state.withLock { $0.running }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Adds a task that begins; false if the session was invalidated.
    func add(_ task: NetworkSessionTask) -> Bool {
        state.withLock { state in
            guard !state.isInvalid else { return false }
            state.running[task.taskIdentifier] = task
            return true
        }
    }

    /// Removes a task that has ended; returns whether the session has ended with it.
    func remove(_ task: NetworkSessionTask) -> Bool {
        state.withLock { state in
            state.running[task.taskIdentifier] = nil
            return Self.hasEnded(&state)
        }
    }

    /// Takes no more tasks; returns whether the session has ended with it.
    func invalidate() -> Bool {
        state.withLock { state in
            state.isInvalid = true
            return Self.hasEnded(&state)
        }
    }

    private static func hasEnded(_ state: inout State) -> Bool {
        guard state.isInvalid, state.running.isEmpty, !state.hasTold else { return false }
        state.hasTold = true
        return true
    }
}
