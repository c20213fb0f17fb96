import Foundation
import FoundationNetworking
import Synchronization

/// One attempt: a FoundationNetworking task from start to end.
final class Attempt: Sendable {
    /// The result of an attempt.
    struct Ending: Sendable {
        var result: Result<URLResponse, URLError>
        /// Whether anything was exchanged with the server.
        var isEstablished: Bool
        /// A response with an authentication challenge, not passed on to the delegate.
        var refusal: Refusal?
    }

    /// A response that may not be final, since the next attempt may use a credential.
    struct Refusal: Sendable {
        let response: URLResponse
        var body = Data()
        /// The challenge; nil if no credential can answer it.
        var challenge: Authentication.Challenge?
    }

    private struct State {
        var urlTask: URLSessionTask?
        var continuation: CheckedContinuation<Ending, Never>?
        var response: URLResponse?
        var refusal: Refusal?
        var isEstablished = false
        /// The error with which it was stopped.
        var stopped: URLError?
    }

    private let receiver: any BodyReceiver
    private let onResponse: @Sendable (URLResponse) -> Void
    private let onSend: @Sendable (_ bytes: Int64, _ total: Int64, _ expected: Int64) -> Void
    private let state = Mutex(State())

    init(
        receiver: any BodyReceiver, onResponse: @escaping @Sendable (URLResponse) -> Void,
        onSend: @escaping @Sendable (_ bytes: Int64, _ total: Int64, _ expected: Int64) -> Void
    ) {
        (self.receiver, self.onResponse, self.onSend) = (receiver, onResponse, onSend)
    }

    /// Runs the attempt.
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

    /// Ends it immediately with `error`, unless it has ended.
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
        onResponse(response)
        let isWanted = state.withLock { state in
            (state.response, state.isEstablished) = (response, true)
            guard (response as? HTTPURLResponse)?.statusCode != 401 else {
                state.refusal = Refusal(response: response)
                return false
            }
            return state.stopped == nil
        }
        if isWanted { attempt { () throws(URLError) in try receiver.begin(response) } }
    }

    /// A part of the body.
    func receive(_ data: Data) {
        let isWanted = state.withLock { state in
            state.refusal?.body.append(data)
            return state.stopped == nil && state.refusal == nil
        }
        if isWanted { attempt { () throws(URLError) in try receiver.take(data) } }
    }

    /// Receives an authentication challenge. FoundationNetworking waits for an answer that never
    /// comes.
    func receive(_ challenge: URLAuthenticationChallenge, _ urlTask: URLSessionTask) {
        state.withLock { $0.refusal?.challenge = Authentication.Challenge(original: challenge) }
        complete(urlTask, nil)
        urlTask.cancel()
    }

    /// Bytes of the request's body were sent.
    func sent(_ bytes: Int64, _ total: Int64, of expected: Int64) {
        state.withLock { $0.isEstablished = true }
        onSend(bytes, total, expected)
    }

    /// The task has ended.
    func complete(_ urlTask: URLSessionTask, _ error: (any Error)?) {
        let (continuation, response, refusal, isEstablished) = state.withLock { state in
            (
                state.continuation.take(), state.response ?? urlTask.response, state.refusal,
                state.isEstablished
            )
        }
        let url = urlTask.originalRequest?.url
        continuation?.resume(
            returning: Ending(
                result: Self.result(response, error, isEstablished, url),
                isEstablished: isEstablished, refusal: refusal))
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
            // FoundationNetworking has no error code of its own for truncated bodies. It also
            // reports every error after a refused connection this way (such as a refused IPv6
            // connection before IPv4 succeeded).
            let isLost =
                isEstablished && [.unknown, .cannotConnectToHost].contains(error.code)
            return .failure(isLost ? error.with(.networkConnectionLost) : error)
        }
        return response.map { .success($0) }
            ?? .failure(URLError(.badServerResponse, "There is no response.", url: url))
    }
}
