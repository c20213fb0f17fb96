public import Foundation
public import FoundationNetworking
import Synchronization

/// A data, download or upload task of a `NetworkSession`. Equivalent to `URLSessionTask`.
public final class NetworkSessionTask: Sendable, Identifiable {
    /// Where a task stands.
    public enum State: Hashable, Sendable {
        /// `resume()` was not called yet. Tasks cannot be suspended later.
        case suspended
        /// It transfers or waits.
        case running
        /// It was cancelled and is about to end.
        case canceling
        /// It has ended.
        case completed
    }

    /// What it does.
    enum Kind: Sendable {
        case data
        case download(ResumedDownload?)
        case upload(Body)

        enum Body: Sendable {
            case data(Data)
            case file(URL)
        }
    }

    /// A number that no other task of its session has.
    public let taskIdentifier: Int
    /// What it was made with.
    public let originalRequest: NetworkRequest
    let session: NetworkSession
    let kind: Kind

    private struct Progress {
        var state = State.suspended
        var response: URLResponse?
        var error: URLError?
        var work: Task<Transfer.Outcome, Never>?
        var keepsResumeData = false
    }

    private let progress = Mutex(Progress())

    init(session: NetworkSession, identifier: Int, request: NetworkRequest, kind: Kind) {
        (self.session, taskIdentifier) = (session, identifier)
        (originalRequest, self.kind) = (request, kind)
    }

    /// The same as `taskIdentifier`.
    public var id: Int { taskIdentifier }
    /// Where it stands.
    public var state: State { progress.withLock { $0.state } }
    /// What the server said, once it has; of several tries that were needed, the last.
    public var response: URLResponse? { progress.withLock { $0.response } }
    /// Why it failed, once it has ended.
    public var error: URLError? { progress.withLock { $0.error } }

    /// Begins. The delegate is told how it ends.
    public func resume() {
        begin(collecting: false, delegate: session.delegate)
    }

    /// Ends it with `.cancelled`. What was downloaded is gone.
    public func cancel() {
        cancel(keepingResumeData: false)
    }

    /// Ends a download with `.cancelled`, and returns what is needed to go on with it; nil if it
    /// cannot be resumed. Equivalent to `URLSessionDownloadTask.cancel(byProducingResumeData:)`.
    public func cancelByProducingResumeData() async -> Data? {
        guard let work = cancel(keepingResumeData: true) else { return nil }
        guard case .failure(let error) = await work.value else { return nil }
        return error.downloadTaskResumeData
    }

    /// How it ends, for a caller who waits for it. The caller's cancellation is the task's.
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
            let isCancelled = progress.state != .suspended
            if !isCancelled { progress.state = .running }
            let work = Task { [self] in
                let transfer = Transfer(self, collecting: collecting, delegate: delegate)
                let outcome = await transfer.outcome()
                complete(outcome)
                transfer.tellEnd(outcome)
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
        return work
    }

    /// Whether what was downloaded is worth keeping after a cancellation.
    var keepsResumeData: Bool { progress.withLock { $0.keepsResumeData } }

    /// The server has begun to answer.
    func receive(_ response: URLResponse) {
        progress.withLock { $0.response = response }
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
