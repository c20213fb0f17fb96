import NetworkPath
import Synchronization

/// Reports path changes to the tasks of a session: one watch for all of them, which starts with the
/// first request and ends with the session.
final class PathObserver: Sendable {
    private let board = Board()

    deinit { board.loop.withLock { $0?.cancel() } }

    /// The number of paths reported so far.
    var generation: Int { board.state.withLock { $0.generation } }

    /// The first path reported after `generation` that meets `condition`; nil once the task is
    /// cancelled or if the path cannot be watched.
    ///
    /// Earlier reports may be older than what the caller has read from the kernel itself.
    func path(
        after generation: Int, where condition: @escaping @Sendable (NetworkPath) -> Bool
    ) async -> NetworkPath? {
        let board = board
        board.start()
        let number = board.state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                board.add(
                    Waiter(
                        number: number, condition: condition,
                        resume: { continuation.resume(returning: $0) }), after: generation)
            }
        } onCancel: {
            board.remove(number)
        }
    }

    private struct Waiter: Sendable {
        let number: Int
        let condition: @Sendable (NetworkPath) -> Bool
        let resume: @Sendable (NetworkPath?) -> Void
    }

    private struct State {
        var generation = 0
        var latest: NetworkPath?
        var isOver = false
        var waiters: [Waiter] = []
        var lastWaiter = 0
        /// Waiters whose tasks were cancelled before they began to wait.
        var removed: Set<Int> = []
    }

    /// The state shared by the watch and the waiters; the watch does not keep the observer alive.
    private final class Board: Sendable {
        let state = Mutex(State())
        let loop = Mutex<Task<Void, Never>?>(nil)

        func start() {
            loop.withLock { loop in
                guard loop == nil else { return }
                loop = Task { [self] in
                    do {
                        for try await path in NetworkPathMonitor() { tell(path) }
                    } catch {
                        // Tells waiters that no more paths will come.
                    }
                    end()
                }
            }
        }

        func add(_ waiter: Waiter, after generation: Int) {
            let answer = state.withLock { state -> NetworkPath?? in
                if state.removed.remove(waiter.number) != nil || state.isOver {
                    return .some(nil)
                }
                if state.generation > generation, let path = state.latest, waiter.condition(path) {
                    return path
                }
                state.waiters.append(waiter)
                return nil
            }
            if let answer { waiter.resume(answer) }
        }

        func remove(_ number: Int) {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                    state.removed.insert(number)
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            waiter?.resume(nil)
        }

        private func tell(_ path: NetworkPath) {
            let satisfied = state.withLock { state in
                state.generation += 1
                state.latest = path
                let satisfied = state.waiters.filter { $0.condition(path) }
                state.waiters.removeAll { waiter in
                    satisfied.contains { $0.number == waiter.number }
                }
                return satisfied
            }
            for waiter in satisfied { waiter.resume(path) }
        }

        private func end() {
            let waiters = state.withLock { state in
                state.isOver = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume(nil) }
        }
    }
}
