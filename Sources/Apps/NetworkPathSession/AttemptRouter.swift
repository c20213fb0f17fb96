import Foundation
import FoundationNetworking
import Synchronization

/// Forwards the callbacks of the session's delegate to each attempt. FoundationNetworking accepts
/// delegates of single tasks but does not call them.
final class AttemptRouter: NSObject, URLSessionDataDelegate, Sendable {
    private let attempts = Mutex<[Int: Attempt]>([:])

    /// Starts a task; `attempt` gets its callbacks until it ends.
    func begin(_ attempt: Attempt, _ urlTask: URLSessionTask) {
        attempts.withLock { $0[urlTask.taskIdentifier] = attempt }
        urlTask.resume()
    }

    private func attempt(_ task: URLSessionTask) -> Attempt? {
        attempts.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        attempt(dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        attempt(dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytes: Int64,
        totalBytesSent total: Int64, totalBytesExpectedToSend expected: Int64
    ) {
        attempt(task)?.sent(bytes, total, of: expected)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) {
        attempts.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.receive(challenge, task)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        var request = request
        // A credential is only for the server that asked for it.
        if request.url?.origin != response.url?.origin {
            request.setValue(nil, forHTTPHeaderField: "Authorization")
        }
        completionHandler(request)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        attempts.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(task, error)
    }
}

extension URL {
    /// The origin of the URL (RFC 6454, section 4).
    fileprivate var origin: [String?] {
        let standard = ["http": 80, "https": 443][scheme?.lowercased() ?? ""]
        return [scheme?.lowercased(), host?.lowercased(), (port ?? standard).map(String.init)]
    }
}
