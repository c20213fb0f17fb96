import NetworkPath
import Synchronization

/// One watch of the network for all connections and listeners. It runs as long as one listens.
final class SharedPathWatch: Sendable {
    static let shared = SharedPathWatch()

    /// A registration.
    typealias Number = Int

    private struct State {
        var handlers: [Number: @Sendable (NetworkPath) -> Void] = [:]
        var last: Number = 0
        var latest: NetworkPath?
        var loop: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Calls `handler` with every new path from now on, and with the latest one if it is known.
    func add(_ handler: @escaping @Sendable (NetworkPath) -> Void) -> Number {
        let (number, latest) = state.withLock { state in
            state.last += 1
            state.handlers[state.last] = handler
            if state.loop == nil { state.loop = Task { [self] in await watch() } }
            return (state.last, state.latest)
        }
        if let latest { handler(latest) }
        return number
    }

    /// Ends the calls.
    func remove(_ number: Number) {
        let loop = state.withLock { state -> Task<Void, Never>? in
            state.handlers[number] = nil
            guard state.handlers.isEmpty else { return nil }
            state.latest = nil
            return state.loop.take()
        }
        loop?.cancel()
    }

    private func watch() async {
        do {
            for try await path in NetworkPathMonitor() {
                guard !Task.isCancelled else { return }
                tell(path)
            }
        } catch {
            // The network cannot be read. Connections go on with what the kernel tells them.
        }
    }

    private func tell(_ path: NetworkPath) {
        let handlers = state.withLock { state in
            state.latest = path
            return Array(state.handlers.values)
        }
        for handler in handlers { handler(path) }
    }
}
