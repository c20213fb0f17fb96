import Foundation
import FoundationNetworking
import Synchronization

/// Receives the body of a response. Called by one thread at a time.
protocol BodyReceiver: Sendable {
    /// The response has begun; the body follows.
    func begin(_ response: URLResponse) throws(URLError)
    /// A part of the body.
    func take(_ data: Data) throws(URLError)
}

/// Keeps the body in memory.
final class BodyCollector: BodyReceiver {
    private let body = Mutex(Data())

    /// The data received so far.
    var data: Data { body.withLock { $0 } }

    func begin(_ response: URLResponse) { body.withLock { $0 = Data() } }
    func take(_ data: Data) { body.withLock { $0.append(data) } }
}

/// Forwards the body to the delegate.
struct BodyForwarder: BodyReceiver {
    let session: NetworkSession
    let task: NetworkSessionTask
    let delegate: (any NetworkSessionDelegate)?

    func begin(_ response: URLResponse) {
        delegate?.networkSession(session, task: task, didReceive: response)
    }

    func take(_ data: Data) {
        delegate?.networkSession(session, task: task, didReceive: data)
    }
}
