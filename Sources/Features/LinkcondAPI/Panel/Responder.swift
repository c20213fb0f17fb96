import HTTPAPI
import Synchronization

/// Answers requests once there is somebody who can: the port is known only when the server listens.
final class Responder: Sendable {
    typealias Answer = @concurrent @Sendable (APIRequest, String) async -> APIResponse

    private let answer = Mutex<Answer?>(nil)

    /// Begins to answer.
    func begin(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

    func respond(_ request: APIRequest, _ source: String) async -> APIResponse {
        guard let answer = answer.withLock({ $0 }) else {
            return APIError(503, "the server starts; try again").response
        }
        return await answer(request, source)
    }
}
