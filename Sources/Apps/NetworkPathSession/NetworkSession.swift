public import Foundation
import FoundationNetworking
import NetworkPath
import Synchronization

/// A `URLSession` that respects the user's network preferences, as on Apple's platforms.
///
/// Theory of operation. There is no preflight: a task checks whether its rules prohibit the path
/// (`NetworkPath`), and otherwise makes an attempt. An attempt is one FoundationNetworking task. If
/// it fails before anything was exchanged with the server, and there is no network (or it changed
/// in the meantime), the task waits for the path to change and tries again if
/// `waitsForConnectivity` is set; otherwise it fails with `.notConnectedToInternet`. A task whose
/// path is prohibited does the same without an attempt; its error says why
/// (`URLError.networkUnavailableReason`). A failure on an existing path, such as a refused
/// connection, is final.
///
/// A running transfer never waits, as Apple documents. A path that becomes prohibited ends the
/// transfer with `.networkConnectionLost` and the reason. So does (without a reason) a path over
/// other interfaces once those of the transfer are gone, since a connection cannot move. Without
/// any network, a transfer is left alone: on Linux it continues if the link comes back before
/// `timeoutIntervalForRequest`.
///
/// Differences from Apple's. Rules apply to the path of the default route, whatever the host,
/// except for this host itself, which is always allowed. Downloads resume by HTTP ranges here,
/// since FoundationNetworking cannot resume them. Responses are not cached. There are no background
/// sessions, streams or WebSockets. HTTP Basic is the only authentication.
public final class NetworkSession: Sendable {
    /// The configuration.
    public let configuration: Configuration
    /// The delegate for its tasks.
    public let delegate: (any NetworkSessionDelegate)?

    let observer = PathObserver()
    private let connections: Mutex<Connections>
    private let lastTask = Atomic<Int>(0)

    /// Connections kept for later requests, and the interfaces over which they were made.
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

    /// Makes a session. It lives as long as it is referenced or has running tasks.
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

    /// A task that passes received data to the delegate. It starts with `resume()`.
    public func dataTask(with request: NetworkRequest) -> NetworkSessionTask {
        task(request, .data)
    }

    /// A task that writes received data to a file.
    public func downloadTask(with request: NetworkRequest) -> NetworkSessionTask {
        task(request, .download(nil))
    }

    /// A task that resumes an interrupted download if the resource is unchanged and the server
    /// supports ranges; otherwise it starts over. Resume data can be used once.
    ///
    /// - Parameter data: From `URLError.downloadTaskResumeData` or
    ///   `NetworkSessionTask.cancelByProducingResumeData()`, also of an earlier run of the program.
    /// - Throws: `.cannotDecodeRawData` if the data or the file that it names is not from a
    ///   session; nothing is touched then. `.cannotOpenFile` if another task is resuming it.
    public func downloadTask(withResumeData data: Data) throws(URLError) -> NetworkSessionTask {
        let data = try ResumeData(reading: data)
        let file = try PartialFile.open(data.partial, in: configuration.temporaryDirectory)
        return task(data.request, .download(file.map { ResumedDownload(data: data, file: $0) }))
    }

    /// A task that sends `body`; received data goes to the delegate.
    public func uploadTask(with request: NetworkRequest, from body: Data) -> NetworkSessionTask {
        task(request, .upload(.data(body)))
    }

    /// A task that sends a file; received data goes to the delegate.
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

    /// Makes a FoundationNetworking task for `path`, with the router of its callbacks. Connections
    /// made over other interfaces are not reused: they would hang.
    func urlTask(
        on path: NetworkPath?, _ make: (URLSession) -> URLSessionTask
    ) -> (URLSessionTask, AttemptRouter) {
        // All under the lock: a replaced session must not be asked for a task.
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
