import Foundation
import FoundationNetworking
import NetworkPath
import Synchronization

/// Requests one after the other: after a redirect, with a credential, for the rest of a download,
/// or on another path.
extension Transfer {
    /// What comes after an attempt.
    enum Next: Sendable {
        /// Another attempt with this request.
        case attempt(NetworkRequest)
        /// The end.
        case end(Result<URLResponse, URLError>)
    }

    /// Makes attempts until the task has ended.
    func follow() async -> Result<URLResponse, URLError> {
        var request = task.originalRequest
        while !Task.isCancelled {
            await task.pauses.untilOver()
            // Any change from here on may be the reason why the attempt fails.
            let generation = session.observer.generation
            let path = NetworkPath.seen()
            let rules = AccessRules(session.configuration, request)
            if let reason = path.flatMap(rules.prohibition) {
                guard
                    await waits(after: generation, until: { rules.prohibition(of: $0) == nil })
                else { return .failure(unmet(.prohibited(reason, url: request.url))) }
                continue
            }
            let start = Date()
            let (ending, interruption) = await attempt(
                request, rules, on: path, after: generation)
            note(ending, url: request.url, start: start)
            switch await next(
                ending, interruption, request, rules, on: path, after: generation)
            {
            case .attempt(let next): request = next
            case .end(let result): return result
            }
        }
        return .failure(stopError)
    }

    private func next(
        _ ending: Attempt.Ending, _ interruption: Interruption?, _ request: NetworkRequest,
        _ rules: AccessRules, on path: NetworkPath?, after generation: Int
    ) async -> Next {
        switch ending.result {
        case .success:
            guard let response = ending.response else { return .end(.failure(stopError)) }
            session.configuration.keepCookies(of: response)
            guard let held = ending.held else {
                authentication.succeed(storage: session.configuration.urlCredentialStorage)
                return .end(.success(response))
            }
            return await next(response, held, request)
        case .failure(let error):
            if let download, download.mustRestart {
                download.restart()
                return .attempt(request)
            }
            guard !Task.isCancelled else { return .end(.failure(stopError)) }
            switch interruption {
            case .restart: return .attempt(request)
            case .move where download?.continueByRange() ?? false: return .attempt(request)
            default: break
            }
            return await next(error, ending, request, rules, on: path, after: generation)
        }
    }

    /// After a response that may not be the last.
    private func next(
        _ response: HTTPURLResponse, _ held: Data, _ request: NetworkRequest
    ) async -> Next {
        do throws(URLError) {
            if let next = try Redirect.request(after: response, to: request) {
                let decision = await answer {
                    [session, delegate, task] () async -> NetworkRequest? in
                    guard let delegate else { return next }
                    return await delegate.networkSession(
                        session, task: task, willPerformHTTPRedirection: response,
                        newRequest: next)
                }
                guard let decision else { return .end(.failure(stopError)) }
                guard let followed = decision else { return .end(try accept(response, held)) }
                guard countRedirect() else {
                    throw URLError(
                        .httpTooManyRedirects,
                        "The server has redirected \(Redirect.limit) times.", url: request.url)
                }
                task.follow(followed)
                return .attempt(followed)
            }
            switch await decide(response) {
            case .again: return .attempt(request)
            case .cancel: return .end(.failure(stopError))
            case .asItIs: return .end(try accept(response, held))
            }
        } catch {
            return .end(.failure(error))
        }
    }

    /// After a failure: waits for another path if that may help.
    private func next(
        _ error: URLError, _ ending: Attempt.Ending, _ request: NetworkRequest,
        _ rules: AccessRules, on path: NetworkPath?, after generation: Int
    ) async -> Next {
        if let reason = ending.prohibition, !ending.isEstablished {
            guard await waits(after: generation, until: { $0 != path }) else {
                return .end(.failure(unmet(.prohibited(reason, url: request.url))))
            }
            return .attempt(request)
        }
        guard !ending.isEstablished, !rules.isLocal, error.mayBeMissingConnectivity,
            let now = NetworkPath.seen()
        else { return .end(.failure(error)) }
        if now.status == .satisfied {
            if now != path, session.configuration.waitsForConnectivity { return .attempt(request) }
            // A VPN that is not up yet may know the host.
            guard error.code == .cannotFindHost,
                await waits(after: generation, until: { $0 != now }, atMost: Self.resolverPatience)
            else { return .end(.failure(unmet(error))) }
            return .attempt(request)
        }
        let missing = URLError(.notConnectedToInternet, "There is no network.", url: request.url)
        guard await waits(after: generation, until: { $0 != now }) else {
            return .end(.failure(unmet(missing)))
        }
        return .attempt(request)
    }

    /// How long an unknown host is waited for before it is looked up again: the resolver's settings
    /// may change later than the path.
    private static let resolverPatience = Duration.seconds(10)

    /// Decides about a response that may ask for a credential.
    private func decide(_ response: HTTPURLResponse) async -> Authentication.Decision {
        let storage = session.configuration.urlCredentialStorage
        guard let challenge = Authentication.Challenge(response, proposals: storage) else {
            return .asItIs
        }
        return await authentication.decide(challenge) { [session, delegate, task] question in
            guard let delegate else { return (.performDefaultHandling, nil) }
            return await answer {
                await delegate.networkSession(session, task: task, didReceive: question)
            }
        }
    }

    /// Accepts a response that was held back.
    private func accept(
        _ response: HTTPURLResponse, _ body: Data
    ) throws(URLError) -> Result<URLResponse, URLError> {
        try receiver.begin(response)
        if !body.isEmpty { try receiver.take(body) }
        return .success(response)
    }

    /// Waits for a path if the session does; false if it does not, or if the wait has ended.
    ///
    /// - Parameter limit: After this the wait is over as well; nil to wait for a path only.
    private func waits(
        after generation: Int, until condition: @escaping @Sendable (NetworkPath) -> Bool,
        atMost limit: Duration? = nil
    ) async -> Bool {
        guard session.configuration.waitsForConnectivity, !Task.isCancelled else { return false }
        if !hasWaited.exchange(true, ordering: .relaxed) {
            delegate?.networkSession(session, taskIsWaitingForConnectivity: task)
        }
        let observer = session.observer
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await observer.path(after: generation, where: condition) != nil
            }
            if let limit {
                group.addTask { (try? await Task.sleep(for: limit)) != nil }
            }
            let isOver = await group.next() ?? false
            group.cancelAll()
            return isOver
        }
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
