import Foundation
import FoundationNetworking
import Synchronization

/// One try: a task of FoundationNetworking from its beginning to its end.
final class Attempt: Sendable {
    /// How it ended.
    struct Ending: Sendable {
        var result: Result<URLResponse, URLError>
        /// Whether anything was exchanged with the server.
        var isEstablished: Bool
    }

    private struct State {
        var urlTask: URLSessionTask?
        var continuation: CheckedContinuation<Ending, Never>?
        var response: URLResponse?
        var isEstablished = false
        /// What it was stopped for.
        var stopped: URLError?
    }

    private let receiver: any BodyReceiver
    private let onSend: @Sendable (_ bytes: Int64, _ total: Int64, _ expected: Int64) -> Void
    private let state = Mutex(State())

    init(
        receiver: any BodyReceiver,
        onSend: @escaping @Sendable (_ bytes: Int64, _ total: Int64, _ expected: Int64) -> Void
    ) {
        (self.receiver, self.onSend) = (receiver, onSend)
    }

    /// Does it.
    func run(_ urlTask: URLSessionTask, _ router: AttemptRouter) async -> Ending {
        await withCheckedContinuation { continuation in
            let stopped = state.withLock { state -> URLError? in
                if state.stopped == nil {
                    state.continuation = continuation
                    state.urlTask = urlTask
                }
                return state.stopped
            }
            if let stopped {
                urlTask.cancel()
                continuation.resume(
                    returning: Ending(result: .failure(stopped), isEstablished: false))
            } else {
                router.begin(self, urlTask)
            }
        }
    }

    /// Ends it at once with `error`, unless it has ended.
    func stop(with error: URLError) {
        let (urlTask, continuation, isEstablished) = state.withLock { state in
            state.stopped = state.stopped ?? error
            return (state.urlTask, state.continuation.take(), state.isEstablished)
        }
        urlTask?.cancel()
        continuation?.resume(
            returning: Ending(result: .failure(error), isEstablished: isEstablished))
    }

    /// The response has begun.
    func receive(_ response: URLResponse) {
        let isStopped = state.withLock { state in
            (state.response, state.isEstablished) = (response, true)
            return state.stopped != nil
        }
        if !isStopped { attempt { () throws(URLError) in try receiver.begin(response) } }
    }

    /// A part of the body.
    func receive(_ data: Data) {
        guard state.withLock({ $0.stopped == nil }) else { return }
        attempt { () throws(URLError) in try receiver.take(data) }
    }

    /// Bytes of the request's body were sent.
    func sent(_ bytes: Int64, _ total: Int64, of expected: Int64) {
        state.withLock { $0.isEstablished = true }
        onSend(bytes, total, expected)
    }

    /// It has come to its end.
    func complete(_ urlTask: URLSessionTask, _ error: (any Error)?) {
        let (continuation, response, isEstablished) = state.withLock { state in
            (state.continuation.take(), state.response ?? urlTask.response, state.isEstablished)
        }
        let url = urlTask.originalRequest?.url
        continuation?.resume(
            returning: Ending(
                result: Self.result(response, error, isEstablished, url),
                isEstablished: isEstablished))
    }

    private func attempt(_ body: () throws(URLError) -> Void) {
        do {
            try body()
        } catch {
            stop(with: error)
        }
    }

    private static func result(
        _ response: URLResponse?, _ error: (any Error)?, _ isEstablished: Bool, _ url: URL?
    ) -> Result<URLResponse, URLError> {
        if let error {
            let error = error as? URLError ?? URLError(.unknown, "\(error)", url: url)
            // FoundationNetworking has no code of its own for bodies that end too early, and takes
            // every error behind a refused connection (such as one of IPv6, before that of IPv4
            // succeeded) for that.
            let isLost =
                isEstablished && [.unknown, .cannotConnectToHost].contains(error.code)
            return .failure(isLost ? error.with(.networkConnectionLost) : error)
        }
        return response.map { .success($0) }
            ?? .failure(URLError(.badServerResponse, "There is no response.", url: url))
    }
}
