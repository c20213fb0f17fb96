public import Foundation
public import FoundationNetworking
import Synchronization

/// A data, download or upload task of a `NetworkSession`. Equivalent to `URLSessionTask`.
public final class NetworkSessionTask: Sendable, Identifiable {
    /// The state of a task.
    public enum State: Hashable, Sendable {
        /// `resume()` has not been called, or `suspend()` has been called since.
        case suspended
        /// It transfers or waits.
        case running
        /// It was cancelled and is about to end.
        case canceling
        /// It has ended.
        case completed
    }

    /// The kind of task.
    enum Kind: Sendable {
        case data
        case download(ResumedDownload?)
        case upload(Body)

        enum Body: Sendable {
            case data(Data)
            case file(URL)
        }
    }

    /// Receives the outcome instead of the delegate.
    typealias Handler = @Sendable (Transfer.Outcome) -> Void

    /// A number unique within the session.
    public let taskIdentifier: Int
    /// The request with which it was made.
    public let originalRequest: NetworkRequest
    let session: NetworkSession
    let kind: Kind
    let pauses = Pauses()
    private let handler: Handler?

    private struct Progress {
        var currentRequest: NetworkRequest?
        var priority = NetworkSessionTask.defaultPriority
        var state = State.suspended
        var response: URLResponse?
        var error: URLError?
        var work: Task<Transfer.Outcome, Never>?
        var keepsResumeData = false
        var received: Int64 = 0
        var sent: Int64 = 0
    }

    private let progress = Mutex(Progress())

    init(
        session: NetworkSession, identifier: Int, request: NetworkRequest, kind: Kind,
        handler: Handler?
    ) {
        self.handler = handler
        (self.session, taskIdentifier) = (session, identifier)
        (originalRequest, self.kind) = (request, kind)
    }

    /// The same as `taskIdentifier`.
    public var id: Int { taskIdentifier }
    /// The state.
    public var state: State { progress.withLock { $0.state } }
    /// The server's response once received; after several attempts, the last one.
    public var response: URLResponse? { progress.withLock { $0.response } }
    /// The error, once it has failed.
    public var error: URLError? { progress.withLock { $0.error } }

    /// The bytes of the body of the latest response so far, before the parts that a download had.
    public var countOfBytesReceived: Int64 { progress.withLock { $0.received } }
    /// The size of the body of the latest response; -1 if unknown.
    public var countOfBytesExpectedToReceive: Int64 { response?.expectedContentLength ?? -1 }
    /// The bytes of the request's body that were sent so far; it may be sent again.
    public var countOfBytesSent: Int64 { progress.withLock { $0.sent } }

    /// The request after redirects.
    public var currentRequest: NetworkRequest {
        progress.withLock { $0.currentRequest } ?? originalRequest
    }
    /// The priority among the requests of an HTTP/2 connection, from 0 to 1; read when a request
    /// begins. Equivalent to `URLSessionTask.priority`.
    public var priority: Float {
        get { progress.withLock { $0.priority } }
        set { progress.withLock { $0.priority = min(max(newValue, 0), 1) } }
    }
    /// The priority of tasks for which none is set. Equivalent to `URLSessionTask.defaultPriority`.
    public static let defaultPriority: Float = 0.5
    /// A low priority.
    public static let lowPriority: Float = 0.25
    /// A high priority.
    public static let highPriority: Float = 0.75

    /// Starts the task, or continues it after `suspend()`. The delegate or the completion handler
    /// is told how it ends.
    public func resume() {
        progress.withLock { progress in
            if progress.work != nil, progress.state == .suspended { progress.state = .running }
            pauses.set(false)
        }
        begin(collecting: handler != nil, delegate: session.delegate)
    }

    /// Stops sending and receiving until `resume()`. Time limits do not run meanwhile, but servers
    /// may close the connection.
    public func suspend() {
        progress.withLock { progress in
            guard progress.work != nil, progress.state == .running else { return }
            progress.state = .suspended
            // Not after the lock, or a cancellation in between would leave it paused.
            pauses.set(true)
        }
    }

    /// Ends it with `.cancelled` and discards downloaded data.
    public func cancel() {
        cancel(keepingResumeData: false)
    }

    /// Ends a download with `.cancelled` and returns its resume data; nil if it cannot be resumed.
    /// Equivalent to `URLSessionDownloadTask.cancel(byProducingResumeData:)`.
    public func cancelByProducingResumeData() async -> Data? {
        guard let work = cancel(keepingResumeData: true) else { return nil }
        guard case .failure(let error) = await work.value else { return nil }
        return error.downloadTaskResumeData
    }

    /// The outcome, for a caller that waits. Cancelling the caller cancels the task.
    func outcome(
        delegate: (any NetworkSessionDelegate)?
    ) async throws(URLError) -> Transfer.Completion {
        let work = begin(collecting: true, delegate: delegate)
        let outcome = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }

    @discardableResult
    private func begin(
        collecting: Bool, delegate: (any NetworkSessionDelegate)?
    ) -> Task<Transfer.Outcome, Never> {
        progress.withLock { progress in
            if let work = progress.work { return work }
            let isCancelled = progress.state != .suspended || !session.tasks.add(self)
            if !isCancelled { progress.state = .running }
            let work = Task { [self] in
                let transfer = Transfer(self, collecting: collecting, delegate: delegate)
                let outcome = await transfer.outcome()
                complete(outcome)
                transfer.tellEnd(outcome)
                handler?(outcome)
                if session.tasks.remove(self) { session.end() }
                return outcome
            }
            if isCancelled { work.cancel() }
            progress.work = work
            return work
        }
    }

    @discardableResult
    private func cancel(keepingResumeData: Bool) -> Task<Transfer.Outcome, Never>? {
        let work = progress.withLock { progress -> Task<Transfer.Outcome, Never>? in
            guard progress.state == .suspended || progress.state == .running else {
                return progress.work
            }
            progress.state = .canceling
            progress.keepsResumeData = keepingResumeData
            return progress.work
        }
        work?.cancel()
        pauses.end()
        return work
    }

    /// Whether downloaded data should be kept after a cancellation.
    var keepsResumeData: Bool { progress.withLock { $0.keepsResumeData } }

    /// A redirect is followed.
    func follow(_ request: NetworkRequest) {
        progress.withLock { $0.currentRequest = request }
    }

    /// The response has begun.
    func receive(_ response: URLResponse) {
        progress.withLock { ($0.response, $0.received) = (response, 0) }
    }

    /// A part of the response's body.
    func count(received bytes: Int) {
        progress.withLock { $0.received += Int64(bytes) }
    }

    /// So much of the request's body was sent.
    func count(sent total: Int64) {
        progress.withLock { $0.sent = total }
    }

    private func complete(_ outcome: Transfer.Outcome) {
        progress.withLock { progress in
            progress.state = .completed
            switch outcome {
            case .success(let completion): progress.response = completion.response
            case .failure(let error): progress.error = error
            }
        }
    }
}
