import Foundation
import FoundationNetworking
import HTTPTransport
import NetworkPath

/// One attempt of a task, and what the path does to it.
extension Transfer {
    /// Why an attempt was ended here.
    enum Interruption: Sendable {
        /// The path has changed before there was a connection.
        case restart
        /// A download moves to a better path.
        case move
        /// The connection has no future.
        case lost(URLError)

        /// What the attempt ends with.
        func error(url: URL?) -> URLError {
            if case .lost(let error) = self { return error }
            return URLError(.networkConnectionLost, "The path has changed.", url: url)
        }
    }

    private enum Step: Sendable {
        case ended(Attempt.Ending)
        case interrupted(Interruption?)
    }

    /// One attempt, as long as the path allows it.
    func attempt(
        _ request: NetworkRequest, _ rules: AccessRules, on path: NetworkPath?,
        after generation: Int
    ) async -> (Attempt.Ending, Interruption?) {
        let exchange: ExchangeRequest
        do {
            exchange = try makeExchange(for: request)
        } catch {
            return (Attempt.Ending(result: .failure(error)), nil)
        }
        let race = makeRace(exchange, request, rules, on: path)
        task.pauses.attach(race)
        defer { task.pauses.attach(nil) }
        return await withTaskCancellationHandler {
            await withTaskGroup(of: Step.self) { group in
                group.addTask { .ended(await race.run()) }
                if !rules.isLocal {
                    group.addTask {
                        .interrupted(
                            await self.interruption(of: race, rules, on: path, after: generation))
                    }
                }
                var interruption: Interruption?
                while let step = await group.next() {
                    switch step {
                    case .interrupted(let reason):
                        interruption = reason
                        if let reason { race.stop(with: reason.error(url: request.url)) }
                    case .ended(let ending):
                        group.cancelAll()
                        return (ending, interruption)
                    }
                }
                preconditionFailure("a race ends")
            }
        } onCancel: {
            race.stop(with: stopError)
        }
    }

    private func makeRace(
        _ exchange: ExchangeRequest, _ request: NetworkRequest, _ rules: AccessRules,
        on path: NetworkPath?
    ) -> Race {
        let (task, session, delegate) = (self.task, self.session, self.delegate)
        let expected = exchange.body.size
        let subject = Attempt.Subject(
            url: request.url, rules: rules, path: path, receiver: receiver,
            mayBeFollowed: { response in
                response.statusCode == 401 || Redirect.isRedirect(response)
            },
            onResponse: { task.receive($0) },
            onReceive: { task.count(received: $0) },
            onSend: { bytes, total in
                task.count(sent: total)
                delegate?.networkSession(
                    session, task: task, didSendBodyData: bytes, totalBytesSent: total,
                    totalBytesExpectedToSend: expected)
            })
        return Race(subject, rules.candidates(on: path)) {
            (candidate, attempt) throws(ExchangeFailure) in
            var own = exchange
            if let interface = candidate.interface { own.route = .interface(interface.name) }
            own.isMultipath = candidate.isMultipath
            let client = try session.connections.client(for: candidate, on: path)
            return (client, client.start(own, attempt))
        }
    }

    private func makeExchange(
        for request: NetworkRequest
    ) throws(URLError) -> ExchangeRequest {
        let urlRequest = download?.remaining(of: request.urlRequest) ?? request.urlRequest
        var body: ExchangeRequest.Body?
        // A redirect may have turned an upload into a GET.
        let isOriginal = urlRequest.httpMethod == task.originalRequest.urlRequest.httpMethod
        if case .upload(let upload) = task.kind, isOriginal {
            switch upload {
            case .data(let data): body = .bytes([UInt8](data))
            case .file(let file): body = .file(path: file.path)
            }
        }
        var exchange = try ExchangeRequest(urlRequest, session.configuration, body: body)
        if download != nil { exchange.receiveBuffer = DownloadFile.blockSize }
        exchange.weight = 1 + Int(task.priority * 255)
        authentication.apply(to: &exchange, for: urlRequest.url)
        return exchange
    }

    /// Watches the path during an attempt; returns why it must end, or nil when the calling task
    /// was cancelled.
    private func interruption(
        of race: Race, _ rules: AccessRules, on path: NetworkPath?, after generation: Int
    ) async -> Interruption? {
        var generation = generation
        var isBetterAvailable = false
        while await session.observer.path(after: generation, where: { _ in true }) != nil {
            // Earlier reports may be older than the attempt. Reports from here on are not missed.
            generation = session.observer.generation
            guard let now = NetworkPath.seen() else { continue }
            if let path, race.link == nil, rules.isBetterStart(now, than: path) {
                let error = Interruption.restart.error(url: task.originalRequest.url)
                if race.stopUnlessConnected(with: error) { return .restart }
            }
            guard let link = race.link, let interface = link.interface else { continue }
            var isBetter = false
            switch rules.verdict(
                on: now, connectedBy: interface, isMultipath: link.connection.isMultipath)
            {
            case .fine: break
            case .lost(let reason): return .lost(Self.loss(reason, task.originalRequest.url))
            case .better:
                isBetter = true
                if session.configuration.movesDownloadsToBetterPath,
                    download?.canContinueByRange ?? false
                {
                    return .move
                }
            }
            guard isBetter != isBetterAvailable else { continue }
            isBetterAvailable = isBetter
            delegate?.networkSession(session, task: task, betterPathAvailable: isBetter)
        }
        return nil
    }

    private static func loss(
        _ reason: URLError.NetworkUnavailableReason?, _ url: URL?
    ) -> URLError {
        guard let reason else {
            return URLError(.networkConnectionLost, "Its interface is gone.", url: url)
        }
        return .prohibited(reason, code: .networkConnectionLost, url: url)
    }
}

extension ExchangeRequest.Body {
    /// The size in bytes; -1 if unknown.
    fileprivate var size: Int64 {
        switch self {
        case .none: return 0
        case .bytes(let bytes): return Int64(bytes.count)
        case .file(let path):
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return (attributes?[.size] as? NSNumber)?.int64Value ?? -1
        }
    }
}
