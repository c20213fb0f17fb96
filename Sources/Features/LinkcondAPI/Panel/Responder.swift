import HTTPAPI
import Synchronization

/// Answers requests once there is somebody who can: the port is known only when the server listens, and
/// a socket of systemd has its first connection before the server starts.
final class Responder: Sendable {
    typealias Answer = @concurrent @Sendable (APIRequest, String) async -> APIResponse

    private enum State {
        case starting([CheckedContinuation<Void, Never>])
        case started(Answer)
    }

    private let state = Mutex(State.starting([]))

    /// Begins to answer.
    func begin(_ answer: @escaping Answer) {
        let waiting = state.withLock { state in
            defer { state = .started(answer) }
            if case .starting(let waiting) = state { return waiting }
            return []
        }
        for request in waiting { request.resume() }
    }

    func respond(_ request: APIRequest, _ source: String) async -> APIResponse {
        await withCheckedContinuation { continuation in
            let isStarted = state.withLock { state in
                guard case .starting(let waiting) = state else { return true }
                state = .starting(waiting + [continuation])
                return false
            }
            if isStarted { continuation.resume() }
        }
        guard case .started(let answer) = state.withLock(\.self) else {
            return APIError(503, "the server starts; try again").response
        }
        return await answer(request, source)
    }
}
