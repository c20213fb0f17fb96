import Synchronization

/// The times in which a task is suspended. It produces no traffic then, and time limits do not run.
final class Pauses: Sendable {
    private struct State {
        var isPaused = false
        var began = ContinuousClock.now
        /// The time spent in pauses that are over.
        var past = Duration.zero
        var race: Race?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Begins or ends a pause.
    func set(_ isPaused: Bool) {
        let (race, waiters) = state.withLock { state in
            guard state.isPaused != isPaused else {
                return (Race?.none, [CheckedContinuation<Void, Never>]())
            }
            state.isPaused = isPaused
            if isPaused {
                state.began = .now
            } else {
                state.past += ContinuousClock.now - state.began
            }
            defer { if !isPaused { state.waiters = [] } }
            return (state.race, isPaused ? [] : state.waiters)
        }
        race?.setPaused(isPaused)
        for waiter in waiters { waiter.resume() }
    }

    /// Lets pauses hold up `race`, or no race any more.
    func attach(_ race: Race?) {
        let isPaused = state.withLock { state in
            state.race = race
            return state.isPaused
        }
        if isPaused { race?.setPaused(true) }
    }

    /// Waits for the end of a pause. `end()` also ends the wait.
    func untilOver() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.isPaused { state.waiters.append(continuation) }
                return !state.isPaused
            }
            if isOver { continuation.resume() }
        }
    }

    /// Ends all pauses, since the task has ended.
    func end() { set(false) }

    /// Waits until so much time has passed outside pauses; false if the calling task was cancelled.
    func elapse(_ limit: Duration) async -> Bool {
        let start = (ContinuousClock.now, past)
        while true {
            let running = ContinuousClock.now - start.0 - (past - start.1)
            let left = limit - running
            guard left > .zero else { return true }
            guard (try? await Task.sleep(for: left)) != nil else { return false }
            await untilOver()
        }
    }

    /// The time spent in pauses so far.
    private var past: Duration {
        state.withLock { state in
            state.isPaused ? state.past + (ContinuousClock.now - state.began) : state.past
        }
    }
}
