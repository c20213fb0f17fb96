import Foundation
import FoundationNetworking
import Synchronization

/// Where the body of a response goes. It is called by one thread at a time.
protocol BodyReceiver: Sendable {
    /// The response has begun; the body follows.
    func begin(_ response: URLResponse) throws(URLError)
    /// A part of the body.
    func take(_ data: Data) throws(URLError)
}

/// Keeps the body in memory.
final class BodyCollector: BodyReceiver {
    private let body = Mutex(Data())

    /// What has come.
    var data: Data { body.withLock { $0 } }

    func begin(_ response: URLResponse) { body.withLock { $0 = Data() } }
    func take(_ data: Data) { body.withLock { $0.append(data) } }
}

/// Hands the body on to the delegate.
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
