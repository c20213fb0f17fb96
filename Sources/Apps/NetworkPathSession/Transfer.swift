import Foundation
import FoundationNetworking
import NetworkPath
import Synchronization

/// Runs a task: attempt, wait for the path, and try again.
final class Transfer: Sendable {
    typealias Outcome = Result<Completion, URLError>

    /// The result of a successful transfer.
    struct Completion: Sendable {
        var response: URLResponse
        var body = Data()
        /// The location of a download.
        var file: URL?
    }

    private let task: NetworkSessionTask
    private let session: NetworkSession
    private let delegate: (any NetworkSessionDelegate)?
    private let isCollecting: Bool
    private let rules: AccessRules
    private let collector = BodyCollector()
    private let download: DownloadFile?
    private let authentication = Authentication()
    private let hasTimedOut = Atomic(false)
    private let hasWaited = Atomic(false)

    init(
        _ task: NetworkSessionTask, collecting isCollecting: Bool,
        delegate: (any NetworkSessionDelegate)?
    ) {
        let session = task.session
        (self.task, self.session) = (task, session)
        (self.delegate, self.isCollecting) = (delegate, isCollecting)
        rules = AccessRules(session.configuration, task.originalRequest)
        guard case .download(let resumed) = task.kind else {
            download = nil
            return
        }
        download = DownloadFile(
            task.originalRequest, resuming: resumed,
            in: session.configuration.temporaryDirectory,
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
        await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await self.finish(self.tryAndWait()) }
            group.addTask {
                let limit = self.session.configuration.timeoutIntervalForResource
                guard (try? await Task.sleep(for: TimeLimit.ofResource(limit))) != nil else {
                    return nil
                }
                self.hasTimedOut.store(true, ordering: .relaxed)
                return nil
            }
            var outcome = Outcome.failure(stopError)
            while let ended = await group.next() {
                group.cancelAll()
                if let ended { outcome = ended }
            }
            return outcome
        }
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

    private func tryAndWait() async -> Result<URLResponse, URLError> {
        while !Task.isCancelled {
            // Any change from here on may be the reason why the attempt fails.
            let generation = session.observer.generation
            let path = NetworkPath.seen()
            if let reason = path.flatMap(rules.prohibition) {
                let error = URLError.prohibited(reason, url: url)
                guard
                    await waits(
                        after: generation, until: { [rules] in rules.prohibition(of: $0) == nil })
                else { return .failure(unmet(error)) }
                continue
            }
            var ending = await attempt(on: path, after: generation)
            if case .success = ending.result {
                guard let refusal = ending.refusal else {
                    authentication.succeed(storage: session.configuration.urlCredentialStorage)
                    return ending.result
                }
                switch await decide(refusal) {
                case .again: continue
                case .cancel: return .failure(stopError)
                case .asItIs: ending.result = receive(refusal)
                }
            }
            guard case .failure(let error) = ending.result else { return ending.result }
            if let download, download.mustRestart {
                download.restart()
                continue
            }
            guard !Task.isCancelled else { break }
            guard !ending.isEstablished, !rules.isLocal, error.mayBeMissingConnectivity,
                let now = NetworkPath.seen()
            else { return .failure(error) }
            switch (now.status == .satisfied, now == path) {
            case (true, true):
                return .failure(error)
            case (true, false):
                guard session.configuration.waitsForConnectivity else { return .failure(error) }
            case (false, _):
                let error = URLError(
                    .notConnectedToInternet, "There is no network.", url: url)
                guard await waits(after: generation, until: { $0 != now }) else {
                    return .failure(unmet(error))
                }
            }
        }
        return .failure(stopError)
    }

    /// One attempt, as long as the path allows it.
    private func attempt(on path: NetworkPath?, after generation: Int) async -> Attempt.Ending {
        let attempt = Attempt(
            receiver: receiver, onResponse: { [task] in task.receive($0) },
            onSend: { [session, delegate, task] bytes, total, all in
                delegate?.networkSession(
                    session, task: task, didSendBodyData: bytes, totalBytesSent: total,
                    totalBytesExpectedToSend: all)
            })
        let (urlTask, router) = session.urlTask(on: path, makeTask)
        return await withTaskCancellationHandler {
            await withTaskGroup(of: Attempt.Ending?.self) { group in
                group.addTask { await attempt.run(urlTask, router) }
                if !rules.isLocal {
                    group.addTask {
                        await self.stop(attempt, whenLost: path, after: generation)
                        return nil
                    }
                }
                var ending: Attempt.Ending?
                while ending == nil, let ended = await group.next() { ending = ended }
                group.cancelAll()
                return ending
                    ?? Attempt.Ending(result: .failure(self.stopError), isEstablished: false)
            }
        } onCancel: {
            attempt.stop(with: stopError)
        }
    }

    /// Stops an attempt when its path is lost; returns when there is nothing left to watch.
    private func stop(
        _ attempt: Attempt, whenLost path: NetworkPath?, after generation: Int
    ) async {
        var generation = generation
        let loss: @Sendable (NetworkPath) -> URLError? = { [rules, url] now in
            if let reason = rules.prohibition(of: now) {
                return .prohibited(reason, code: .networkConnectionLost, url: url)
            }
            guard let path, now.hasReplaced(path) else { return nil }
            return URLError(.networkConnectionLost, "Its interface is gone.", url: url)
        }
        while await session.observer.path(after: generation, where: { loss($0) != nil }) != nil {
            // Earlier reports may be older than the attempt. Reports from here on are not missed.
            generation = session.observer.generation
            if let now = NetworkPath.seen(), let error = loss(now) {
                return attempt.stop(with: error)
            }
        }
    }

    /// Waits for a path if the session does; false if it does not, or if the wait has ended.
    private func waits(
        after generation: Int, until condition: @escaping @Sendable (NetworkPath) -> Bool
    ) async -> Bool {
        guard session.configuration.waitsForConnectivity, !Task.isCancelled else { return false }
        if !hasWaited.exchange(true, ordering: .relaxed) {
            delegate?.networkSession(session, taskIsWaitingForConnectivity: task)
        }
        return await session.observer.path(after: generation, where: condition) != nil
    }

    private func makeTask(_ urlSession: URLSession) -> URLSessionTask {
        var request = download?.remainingRequest ?? task.originalRequest.urlRequest
        let limit = TimeLimit.wholeSeconds(request.timeoutInterval)
        // An unset limit defers to the session; setting it would change that.
        if limit != request.timeoutInterval { request.timeoutInterval = limit }
        request = authentication.applied(to: request)
        switch task.kind {
        case .data, .download: return urlSession.dataTask(with: request)
        case .upload(.data(let body)): return urlSession.uploadTask(with: request, from: body)
        case .upload(.file(let file)): return urlSession.uploadTask(with: request, fromFile: file)
        }
    }

    /// Decides about a response with an authentication challenge.
    private func decide(_ refusal: Attempt.Refusal) async -> Authentication.Decision {
        guard let challenge = refusal.challenge else { return .asItIs }
        return await authentication.decide(challenge) { [session, delegate, task] question in
            guard let delegate else { return (.performDefaultHandling, nil) }
            return await answer {
                await delegate.networkSession(session, task: task, didReceive: question)
            }
        }
    }

    /// Accepts such a response as final.
    private func receive(_ refusal: Attempt.Refusal) -> Result<URLResponse, URLError> {
        do {
            try receiver.begin(refusal.response)
            if !refusal.body.isEmpty { try receiver.take(refusal.body) }
            return .success(refusal.response)
        } catch {
            return .failure(error)
        }
    }

    private var receiver: any BodyReceiver {
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
                    .failure(URLError(.networkConnectionLost, "The end is missing.", url: url)))
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

    private var url: URL? { task.originalRequest.url }

    /// Why it was stopped from outside.
    private var stopError: URLError {
        hasTimedOut.load(ordering: .relaxed)
            ? URLError(.timedOut, "It took longer than the resource may.", url: url)
            : URLError(.cancelled, "It was cancelled.", url: url)
    }

    /// The error of a failed wait: the prohibition, or what ended the wait.
    private func unmet(_ error: URLError) -> URLError {
        guard Task.isCancelled else { return error }
        guard hasTimedOut.load(ordering: .relaxed) else { return stopError }
        return error.with(.timedOut)
    }
}

/// The answer to `question`; nil if the task is cancelled first. The delegate may be asking a
/// person and ignore the cancellation.
private func answer<Value: Sendable>(_ question: @escaping @Sendable () async -> Value) async
    -> Value?
{
    let (answers, continuation) = AsyncStream<Value>.makeStream()
    let asking = Task { continuation.yield(await question()) }
    defer { asking.cancel() }
    return await answers.first { _ in true }
}

extension NetworkPath {
    /// The current path; nil if the kernel does not answer.
    fileprivate static func seen() -> NetworkPath? {
        // Reading may fail while the network changes.
        for _ in 1...10 {
            if let path = try? current() { return path }
        }
        return nil
    }

    /// Whether this path uses other interfaces than `earlier` did, and those of `earlier` are gone.
    fileprivate func hasReplaced(_ earlier: NetworkPath) -> Bool {
        let indices = Set(availableInterfaces.map(\.index))
        return status == .satisfied && !earlier.interfacesInUse.isEmpty
            && !earlier.interfacesInUse.contains { indices.contains($0.index) }
    }
}
