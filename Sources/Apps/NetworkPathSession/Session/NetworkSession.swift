public import Foundation
import FoundationNetworking
import Synchronization

/// A `URLSession` that respects the user's network preferences, as on Apple's platforms.
///
/// Theory of operation. There is no preflight. For each request the rules (`AccessRules`) name the
/// candidates: the kernel's own routes, then each permitted interface that those do not use. The
/// candidates race (`Race`): the next begins when the one before fails or is late, and the first
/// that is connected sends the request. A socket that the kernel would route over a prohibited
/// interface is not opened. If nothing was exchanged with the server, and there is no network (or
/// it changed in the meantime), the task waits for the path to change and tries again if
/// `waitsForConnectivity` is set; otherwise it fails with `.notConnectedToInternet`. A task for
/// which all networks are prohibited does the same without an attempt; its error says why
/// (`URLError.networkUnavailableReason`). A failure on an existing path, such as a refused
/// connection, is final. Redirects are new requests, judged again.
///
/// A running transfer never waits, as Apple documents. If its interface becomes prohibited, it ends
/// with `.networkConnectionLost` and the reason. So it does (without a reason) if its interface is
/// gone and another leads to the network, since a connection cannot move. Without any network, a
/// transfer is left alone: on Linux it continues if the link comes back before
/// `timeoutIntervalForRequest`. When a better path appears, the delegate is told; a download moves
/// there by a range request if `movesDownloadsToBetterPath` is set.
///
/// Three parts know nothing of each other: the rules are values (`Rules`), the transport is libcurl
/// (`HTTPTransport`, `Connecting`), and the tasks wait, resume and move (`Tasks`, `Downloads`).
///
/// Differences from Apple's. Names are resolved over the default path, whatever the interface.
/// Rules apply to all hosts except this host itself, which is always allowed. Responses are not
/// cached. There are no background sessions, streams or WebSockets, and no protocol classes.
public final class NetworkSession: Sendable {
    /// The configuration.
    public let configuration: Configuration
    /// The delegate for its tasks.
    public let delegate: (any NetworkSessionDelegate)?

    let observer = PathObserver()
    let connections: ConnectionPool
    let tasks = SessionTasks()
    private let lastTask = Atomic<Int>(0)

    /// A session with the default configuration and without a delegate. Equivalent to
    /// `URLSession.shared`.
    public static let shared = NetworkSession()

    /// Makes a session. It lives as long as it is referenced or has running tasks.
    public init(
        configuration: Configuration = .default, delegate: (any NetworkSessionDelegate)? = nil
    ) {
        self.configuration = configuration
        self.delegate = delegate
        connections = ConnectionPool(
            connectionsPerHost: max(1, configuration.httpMaximumConnectionsPerHost))
    }

    /// The tasks that were resumed and have not ended.
    public var allTasks: [NetworkSessionTask] {
        get async { tasks.running }
    }

    /// Takes no more tasks, and lets the running ones finish. The delegate is told when they have.
    /// The shared session cannot be invalidated.
    public func finishTasksAndInvalidate() {
        guard self !== Self.shared else { return }
        if tasks.invalidate() { end() }
    }

    /// Takes no more tasks, and cancels the running ones. The delegate is told when they have
    /// ended. The shared session cannot be invalidated.
    public func invalidateAndCancel() {
        guard self !== Self.shared else { return }
        let hasEnded = tasks.invalidate()
        for task in tasks.running { task.cancel() }
        if hasEnded { end() }
    }

    /// The last task of an invalid session has ended.
    func end() {
        connections.removeAll()
        delegate?.networkSession(self, didBecomeInvalidWithError: nil)
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
    /// - Parameter data: From `URLError.downloadTaskResumeData`,
    ///   `NetworkSessionTask.cancelByProducingResumeData()` or the delegate, also of an earlier run
    ///   of the program.
    /// - Throws: `.cannotDecodeRawData` if the data or the file that it names is not from a
    ///   session; nothing is touched then. `.cannotOpenFile` if another task is resuming it.
    public func downloadTask(withResumeData data: Data) throws(URLError) -> NetworkSessionTask {
        let (request, resumed) = try resumption(from: data)
        return task(request, .download(resumed))
    }

    /// The request and the existing part of an interrupted download.
    func resumption(
        from data: Data
    ) throws(URLError) -> (NetworkRequest, ResumedDownload?) {
        var data = try ResumeData(reading: data)
        guard let file = try PartialFile.open(data.partial, in: configuration.temporaryDirectory)
        else { return (data.request, nil) }
        let size = file.size ?? 0
        if data.isOfGrowingFile == true { data.received = max(data.received, size) }
        // Someone has cut the file, and what it lacks cannot be requested; or there is nothing yet.
        guard size >= data.received, 1...(data.total ?? .max) ~= data.received else {
            file.remove()
            return (data.request, nil)
        }
        return (data.request, ResumedDownload(data: data, file: file))
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

    func task(
        _ request: NetworkRequest, _ kind: NetworkSessionTask.Kind,
        _ handler: NetworkSessionTask.Handler? = nil
    ) -> NetworkSessionTask {
        NetworkSessionTask(
            session: self, identifier: lastTask.add(1, ordering: .relaxed).newValue,
            request: request, kind: kind, handler: handler)
    }
}
