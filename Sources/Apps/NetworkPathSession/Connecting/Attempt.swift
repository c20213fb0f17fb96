import Foundation
import FoundationNetworking
import HTTPTransport
import NetworkPath
import Synchronization

/// One exchange of a task, from start to end: judges its connection and passes on its response.
final class Attempt: ExchangeEvents {
    /// The result of an attempt.
    struct Ending: Sendable {
        var result: Result<ExchangeMetrics, URLError>
        /// The response, if there was one.
        var response: HTTPURLResponse?
        /// The body of a response that was not passed on, since another request may follow.
        var held: Data?
        /// The connection that carried the request.
        var link: Link?
        /// Whether anything was exchanged with the server.
        var isEstablished = false
        /// Why the connection that the kernel would have made is prohibited.
        var prohibition: URLError.NetworkUnavailableReason?

        /// Whether another interface may succeed. The resolver is the same for all of them.
        var mayTryAnother: Bool {
            guard case .failure(let error) = result, prohibition == nil else { return true }
            return [.cannotConnectToHost, .networkConnectionLost, .timedOut].contains(error.code)
        }
    }

    /// A connection, and its interface.
    struct Link: Sendable {
        var connection: ExchangeConnection
        /// Nil for connections within this host.
        var interface: NetworkInterface?
    }

    /// What it is about.
    struct Subject: Sendable {
        let url: URL?
        let rules: AccessRules
        let path: NetworkPath?
        let receiver: any BodyReceiver
        /// Whether another request may follow a response, whose body is held back.
        let mayBeFollowed: @Sendable (HTTPURLResponse) -> Bool
        let onResponse: @Sendable (HTTPURLResponse) -> Void
        let onReceive: @Sendable (_ bytes: Int) -> Void
        let onSend: @Sendable (_ bytes: Int64, _ total: Int64) -> Void
    }

    /// What a race needs to know.
    enum Event: Sendable {
        /// It begins to connect.
        case began
        /// It carries the request.
        case connected
        /// It has ended.
        case ended(Ending)
    }

    private struct State {
        var ending = Ending(result: .success(ExchangeMetrics()))
        var sent: Int64 = 0
        /// Why it was stopped here.
        var failure: URLError?
    }

    private let subject: Subject
    private let candidate: Candidate
    private let claim: @Sendable (Link) -> Bool
    private let tell: @Sendable (Event) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - claim: Whether this attempt may send the request, now that it is connected.
    ///   - tell: Receives the events.
    init(
        _ subject: Subject, _ candidate: Candidate, claim: @escaping @Sendable (Link) -> Bool,
        tell: @escaping @Sendable (Event) -> Void
    ) {
        (self.subject, self.candidate) = (subject, candidate)
        (self.claim, self.tell) = (claim, tell)
    }

    func started() { tell(.began) }

    func mayConnect(from local: SocketAddress, to remote: SocketAddress) -> Bool {
        guard let path = subject.path,
            let reason = subject.rules.prohibition(
                from: local.address, scope: local.scope, to: remote.address, on: path)
        else { return true }
        state.withLock { $0.ending.prohibition = reason }
        return false
    }

    func mayBegin(on connection: ExchangeConnection) -> Bool {
        let interface = candidate.interface ?? interface(of: connection)
        // Of a connection that was kept, the socket was judged by other rules.
        if !subject.rules.isLocal, let reason = interface.flatMap(subject.rules.prohibition) {
            state.withLock { $0.ending.prohibition = reason }
            return false
        }
        let link = Link(connection: connection, interface: interface)
        guard claim(link) else { return false }
        state.withLock { $0.ending.link = link }
        tell(.connected)
        return true
    }

    private func interface(of connection: ExchangeConnection) -> NetworkInterface? {
        let isOwn = { (interface: NetworkInterface) in
            interface.addresses.contains(connection.localAddress)
        }
        guard connection.localAddress != connection.remoteAddress else { return nil }
        // The address may be newer than the path.
        return subject.path?.interfaces.first(where: isOwn)
            ?? NetworkPath.seen()?.interfaces.first(where: isOwn)
    }

    func receive(_ head: ResponseHead) -> Bool {
        guard let url = subject.url, let response = HTTPURLResponse(head, url: url) else {
            return stop(URLError(.badServerResponse, "It is no HTTP response.", url: subject.url))
        }
        let isHeld = subject.mayBeFollowed(response)
        state.withLock { state in
            (state.ending.response, state.ending.isEstablished) = (response, true)
            state.ending.held = isHeld ? Data() : nil
        }
        subject.onResponse(response)
        return isHeld || pass { () throws(URLError) in try subject.receiver.begin(response) }
    }

    func receive(_ bytes: [UInt8]) -> Bool {
        let data = Data(bytes)
        subject.onReceive(bytes.count)
        let isHeld = state.withLock { state in
            state.ending.held?.append(data)
            return state.ending.held != nil
        }
        return isHeld || pass { () throws(URLError) in try subject.receiver.take(data) }
    }

    func sent(_ total: Int64) {
        let bytes = state.withLock { state in
            defer { state.sent = total }
            state.ending.isEstablished = true
            return total - state.sent
        }
        // After a lost connection it starts over.
        if bytes > 0 { subject.onSend(bytes, total) }
    }

    func ended(_ result: Result<ExchangeMetrics, ExchangeFailure>) {
        let ending = state.withLock { state in
            var ending = state.ending
            switch result {
            case .success where ending.response == nil:
                ending.result = .failure(
                    URLError(.badServerResponse, "There is no response.", url: subject.url))
            case .success(let metrics):
                ending.result = .success(metrics)
            case .failure(let failure):
                ending.result = .failure(
                    state.failure
                        ?? URLError(
                            failure, isEstablished: ending.isEstablished, url: subject.url))
            }
            return ending
        }
        tell(.ended(ending))
    }

    private func pass(_ body: () throws(URLError) -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            return stop(error)
        }
    }

    private func stop(_ error: URLError) -> Bool {
        state.withLock { $0.failure = error }
        return false
    }
}

extension HTTPURLResponse {
    /// The response that begins with `head`; fields of the same name are joined (RFC 9110, section
    /// 5.3).
    convenience init?(_ head: ResponseHead, url: URL) {
        var fields: [String: String] = [:]
        for header in head.headers {
            let name =
                fields.keys.first { $0.lowercased() == header.name.lowercased() } ?? header.name
            fields[name] = fields[name].map { "\($0), \(header.value)" } ?? header.value
        }
        self.init(
            url: url, statusCode: head.status, httpVersion: head.version, headerFields: fields)
    }
}
