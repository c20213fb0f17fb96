public import Foundation
import FoundationNetworking
import NetworkPath
import Synchronization

/// A `URLSession` that heeds what its user wants of the network, as on Apple's platforms.
///
/// Theory of operation. There is no preflight: a task looks whether its rules prohibit the path
/// (`NetworkPath`), and otherwise tries. A try is one task of FoundationNetworking. If it fails
/// before anything was exchanged with the server, and there is no network (or it changed
/// meanwhile), the task waits for the path to change and tries again, provided that
/// `waitsForConnectivity` is set; otherwise it fails with `.notConnectedToInternet`. A task whose
/// path is prohibited does the same without a try; its error says why
/// (`URLError.networkUnavailableReason`). A failure on a path that is there, such as a refused
/// connection, is an answer and never waited for.
///
/// In mid-transfer nothing is waited for, as Apple documents. A path that becomes prohibited ends
/// the transfer with `.networkConnectionLost` and the reason. So does (without a reason) a path
/// that leads over other interfaces while those of the transfer are gone, since a connection
/// cannot move. Where there is no network at all a transfer is left alone: on Linux it goes on
/// when the link comes back before `timeoutIntervalForRequest`.
///
/// Differences from Apple's. Rules are applied to the path of the default route, whatever host is
/// asked, except for this host itself, which may always be asked. Downloads are resumed by HTTP
/// ranges here, since FoundationNetworking cannot. Responses are not cached. There are no
/// background sessions, streams and WebSockets. Servers may be shown who asks by HTTP Basic only.
public final class NetworkSession: Sendable {
    /// How it behaves.
    public let configuration: Configuration
    /// Who is told of its tasks.
    public let delegate: (any NetworkSessionDelegate)?

    let observer = PathObserver()
    private let connections: Mutex<Connections>
    private let lastTask = Atomic<Int>(0)

    /// Connections that are kept for later requests, and the interfaces by which they were made.
    private struct Connections {
        let router = AttemptRouter()
        let urlSession: URLSession
        var interfaces: [NetworkInterface]?

        init(_ configuration: Configuration) {
            urlSession = URLSession(
                configuration: configuration.urlSessionConfiguration, delegate: router,
                delegateQueue: nil)
        }
    }

    /// Makes a session. It lives as long as it is referenced or has tasks that run.
    public init(
        configuration: Configuration = .default, delegate: (any NetworkSessionDelegate)? = nil
    ) {
        self.configuration = configuration
        self.delegate = delegate
        connections = Mutex(Connections(configuration))
    }

    deinit {
        connections.withLock { $0.urlSession.finishTasksAndInvalidate() }
    }

    /// A task that hands what it receives to the delegate. It begins with `resume()`.
    public func dataTask(with request: NetworkRequest) -> NetworkSessionTask {
        task(request, .data)
    }

    /// A task that writes what it receives to a file.
    public func downloadTask(with request: NetworkRequest) -> NetworkSessionTask {
        task(request, .download(nil))
    }

    /// A task that goes on with a download that was cut, if the resource is still the same and the
    /// server can give parts of it; otherwise it begins anew. Data may be used once.
    ///
    /// - Parameter data: from `URLError.downloadTaskResumeData` or
    ///   `NetworkSessionTask.cancelByProducingResumeData()`, also of an earlier run of the program.
    /// - Throws: `.cannotDecodeRawData` if it is none of ours, or names a file that is none of
    ///   ours; nothing is touched then. `.cannotOpenFile` if another task goes on with it.
    public func downloadTask(withResumeData data: Data) throws(URLError) -> NetworkSessionTask {
        let data = try ResumeData(reading: data)
        let file = try PartialFile.open(data.partial, in: configuration.temporaryDirectory)
        return task(data.request, .download(file.map { ResumedDownload(data: data, file: $0) }))
    }

    /// A task that sends `body`; what it receives goes to the delegate.
    public func uploadTask(with request: NetworkRequest, from body: Data) -> NetworkSessionTask {
        task(request, .upload(.data(body)))
    }

    /// A task that sends a file; what it receives goes to the delegate.
    public func uploadTask(
        with request: NetworkRequest, fromFile file: URL
    ) -> NetworkSessionTask {
        task(request, .upload(.file(file)))
    }

    func task(_ request: NetworkRequest, _ kind: NetworkSessionTask.Kind) -> NetworkSessionTask {
        NetworkSessionTask(
            session: self, identifier: lastTask.add(1, ordering: .relaxed).newValue,
            request: request, kind: kind)
    }

    /// Makes a task of FoundationNetworking for `path`, and says who tells what becomes of it.
    /// Connections that were made by other interfaces are not used again: they would hang.
    func urlTask(
        on path: NetworkPath?, _ make: (URLSession) -> URLSessionTask
    ) -> (URLSessionTask, AttemptRouter) {
        // All of it under the lock: a session that was replaced may not be asked for a task.
        connections.withLock { connections in
            if let interfaces = path?.interfacesInUse, !interfaces.isEmpty,
                interfaces != connections.interfaces
            {
                if connections.interfaces != nil {
                    connections.urlSession.finishTasksAndInvalidate()
                    connections = Connections(configuration)
                }
                connections.interfaces = interfaces
            }
            return (make(connections.urlSession), connections.router)
        }
    }
}
