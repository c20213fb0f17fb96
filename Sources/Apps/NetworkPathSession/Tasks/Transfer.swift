import Foundation
import FoundationNetworking
import Synchronization

/// Runs a task from start to end, within its time limit.
final class Transfer: Sendable {
    typealias Outcome = Result<Completion, URLError>

    /// The result of a successful transfer.
    struct Completion: Sendable {
        var response: URLResponse
        var body = Data()
        /// The location of a download.
        var file: URL?
    }

    let task: NetworkSessionTask
    let session: NetworkSession
    let delegate: (any NetworkSessionDelegate)?
    let download: DownloadFile?
    let authentication = Authentication()
    let hasWaited = Atomic(false)
    private let isCollecting: Bool
    private let collector = BodyCollector()
    private let hasTimedOut = Atomic(false)
    private let start = Date()
    private let begin = ContinuousClock.now
    private let transactions = Mutex<[NetworkSessionTaskTransactionMetrics]>([])
    private let redirects = Atomic(0)

    init(
        _ task: NetworkSessionTask, collecting isCollecting: Bool,
        delegate: (any NetworkSessionDelegate)?
    ) {
        let session = task.session
        (self.task, self.session) = (task, session)
        (self.delegate, self.isCollecting) = (delegate, isCollecting)
        guard case .download(let resumed) = task.kind else {
            download = nil
            return
        }
        download = DownloadFile(
            task.originalRequest, resuming: resumed,
            in: session.configuration.temporaryDirectory,
            onFile: { location, resumeData in
                delegate?.networkSession(
                    session, downloadTask: task, willWriteTo: location, resumeData: resumeData)
            },
            onResume: { progress in
                delegate?.networkSession(
                    session, downloadTask: task, didResumeAtOffset: progress.received,
                    expectedTotalBytes: progress.total ?? -1)
            },
            onWrite: { progress in
                delegate?.networkSession(
                    session, downloadTask: task, didWriteData: progress.written,
                    totalBytesWritten: progress.received,
                    totalBytesExpectedToWrite: progress.total ?? -1)
            })
    }

    /// Runs the transfer within the time limit of the resource.
    func outcome() async -> Outcome {
        let outcome = await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await self.finish(self.follow()) }
            group.addTask {
                let limit = TimeLimit.ofResource(
                    self.session.configuration.timeoutIntervalForResource)
                if await self.task.pauses.elapse(limit) {
                    self.hasTimedOut.store(true, ordering: .relaxed)
                }
                return nil
            }
            var outcome = Outcome.failure(stopError)
            while let ended = await group.next() {
                group.cancelAll()
                // Nobody waits for the end of a pause any more.
                task.pauses.end()
                if let ended { outcome = ended }
            }
            return outcome
        }
        tellMetrics()
        return outcome
    }

    /// Tells the delegate the end of a task that no caller awaits.
    func tellEnd(_ outcome: Outcome) {
        guard !isCollecting else { return }
        switch outcome {
        case .success(let completion):
            if let file = completion.file {
                delegate?.networkSession(session, downloadTask: task, didFinishDownloadingTo: file)
                try? FileManager.default.removeItem(at: file)
            }
            delegate?.networkSession(session, task: task, didCompleteWithError: nil)
        case .failure(let error):
            delegate?.networkSession(session, task: task, didCompleteWithError: error)
        }
    }

    /// Notes an attempt for the metrics.
    func note(_ ending: Attempt.Ending, url: URL?, start: Date) {
        guard ending.link != nil else { return }
        let metrics = NetworkSessionTaskTransactionMetrics(ending, url: url, start: start)
        transactions.withLock { $0.append(metrics) }
    }

    /// Counts a redirect; returns whether one more may be followed.
    func countRedirect() -> Bool {
        redirects.add(1, ordering: .relaxed).newValue <= Redirect.limit
    }

    private func tellMetrics() {
        delegate?.networkSession(
            session, task: task,
            didFinishCollecting: NetworkSessionTaskMetrics(
                taskInterval: DateInterval(
                    start: start, duration: (ContinuousClock.now - begin) / .seconds(1)),
                redirectCount: redirects.load(ordering: .relaxed),
                transactionMetrics: transactions.withLock { $0 }))
    }

    /// Where the body goes.
    var receiver: any BodyReceiver {
        if let download { return download }
        return isCollecting
            ? collector : BodyForwarder(session: session, task: task, delegate: delegate)
    }

    private func finish(_ result: Result<URLResponse, URLError>) -> Outcome {
        switch result {
        case .success(let response):
            guard let download else {
                return .success(Completion(response: response, body: collector.data))
            }
            guard download.isComplete else {
                return finish(
                    .failure(
                        URLError(
                            .networkConnectionLost, "The end is missing.",
                            url: task.originalRequest.url)))
            }
            do {
                return .success(Completion(response: response, file: try download.finish()))
            } catch {
                return .failure(error)
            }
        case .failure(let error):
            if error.code == .cancelled, !task.keepsResumeData {
                download?.discard()
                return .failure(error)
            }
            return .failure(error.with(resumeData: download?.interrupt()))
        }
    }

    /// Why it was stopped from outside.
    var stopError: URLError {
        let url = task.originalRequest.url
        return hasTimedOut.load(ordering: .relaxed)
            ? URLError(.timedOut, "It took longer than the resource may.", url: url)
            : URLError(.cancelled, "It was cancelled.", url: url)
    }

    /// The error of a failed wait: `error`, or what ended the wait.
    func unmet(_ error: URLError) -> URLError {
        guard Task.isCancelled else { return error }
        guard hasTimedOut.load(ordering: .relaxed) else { return stopError }
        return error.with(.timedOut)
    }
}
