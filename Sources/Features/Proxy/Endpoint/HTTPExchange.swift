import LinuxKernel
import ProxyControl
import ProxyProtocols
import SystemPackage
import Uplink

/// Passes requests of one client on to their targets, and the responses back, one after another.
///
/// Theory of operation. Each way has a buffer of what was read and not yet sent; nothing is read
/// while it is full, so that the sender waits. The connection to a target is kept for the next
/// request to the same one. Whichever end leaves, the other one sees what it would without a proxy: a
/// server the end of what the client sends, a client whatever the server had sent before.
final class HTTPExchange {
    /// The request at hand.
    private struct Current {
        let method: String
        let keepsAlive: Bool
        /// Whether the connection to the target has carried another request before.
        let isOnKept: Bool
        /// What follows of the request.
        var body: HTTPBody
        /// What follows of the response; nil until its head has come.
        var response: HTTPBody?
        var serverKeepsAlive = false
        /// Whether any byte of the response has come.
        var isAnswered = false
    }

    private var current: Current?
    private var target: TargetAddress?
    /// What the client has sent, not yet looked at.
    private var fromClient: [UInt8] = []
    /// What the target has sent, not yet looked at.
    private var fromTarget: [UInt8] = []
    private var toTarget: [UInt8] = []
    private var toClient: [UInt8] = []
    private var clientHasEnded = false
    private var toTargetIsOver = false
    private var targetHasEnded = false
    /// Why the target has ended, if that was not in order.
    private var targetFailure: Errno?

    private static let room = 64 << 10
    /// How often a client is asked whether it is still there that sends no more. Linux takes a minute
    /// to forget a connection that a program has closed.
    private static let watchInterval = Duration.seconds(30)

    /// Begins with a first request; `rest` follows it.
    func begin(
        _ request: HTTPProxyRequest, _ rest: [UInt8], _ connection: StreamConnection,
        at now: Duration
    ) {
        fromClient = rest
        carryOut(request, connection, at: now)
    }

    private func carryOut(
        _ request: HTTPProxyRequest, _ connection: StreamConnection, at now: Duration
    ) {
        guard case .pass(let head, let body) = request.kind else {
            // CONNECT on a connection that was used for others: everything passes.
            let rest = fromClient
            connection.releaseTarget()
            return connection.connect(
                to: request.target, then: HTTPConnect(first: rest), at: now)
        }
        let isOnKept = target == request.target && connection.target != nil && !targetHasEnded
        current = Current(
            method: request.method, keepsAlive: request.keepsAlive, isOnKept: isOnKept, body: body)
        toTarget += head.bytes
        guard !isOnKept else {
            connection.phase = .exchanging(self)
            return
        }
        forgetTarget(connection)
        target = request.target
        connection.connect(to: request.target, then: ExchangeOutcome(exchange: self), at: now)
    }

    /// Moves what can be moved.
    func handle(_ connection: StreamConnection, at now: Duration) {
        var hasMoved = true
        while hasMoved {
            guard case .exchanging = connection.phase else { return }
            do throws(Errno) {
                hasMoved = try step(connection, at: now)
            } catch {
                return connection.abort()
            }
        }
    }

    private func step(_ connection: StreamConnection, at now: Duration) throws(Errno) -> Bool {
        var hasMoved = false
        if clientHasEnded {
            try connection.client.socket.checkError()
        } else if fromClient.count < Self.room {
            let count = try read(connection.client, connection, into: &fromClient)
            clientHasEnded = count == 0
            hasMoved = count != nil
        }
        hasMoved = readTarget(connection) || hasMoved
        guard digest(connection, at: now) else { return false }
        hasMoved = sendToTarget(connection) || hasMoved
        hasMoved = try send(&toClient, to: connection.client) || hasMoved
        return try !finish(connection, at: now) && hasMoved
    }

    private func readTarget(_ connection: StreamConnection) -> Bool {
        guard let target = connection.target, !targetHasEnded, fromTarget.count < Self.room else {
            return false
        }
        do throws(Errno) {
            let count = try read(target, connection, into: &fromTarget)
            targetHasEnded = count == 0
            return count != nil
        } catch {
            (targetHasEnded, targetFailure) = (true, error)
            return true
        }
    }

    private func sendToTarget(_ connection: StreamConnection) -> Bool {
        guard let target = connection.target else { return false }
        do throws(Errno) {
            return try send(&toTarget, to: target)
        } catch {
            // It has reset the connection. What it has sent before is still to be read: a server that
            // refuses an upload answers before it has seen all.
            (toTarget, toTargetIsOver) = ([], true)
            return true
        }
    }

    /// Looks at what has arrived; false if that has led elsewhere.
    private func digest(_ connection: StreamConnection, at now: Duration) -> Bool {
        guard var request = current else { return readRequest(connection, at: now) }
        if !toTargetIsOver, !request.body.isComplete, !fromClient.isEmpty,
            toTarget.count < Self.room
        {
            guard let count = request.body.take(fromClient[...]) else {
                connection.abort()
                return false
            }
            toTarget += fromClient[..<count]
            connection.service.counters.upstreamBytes += UInt64(count)
            fromClient.removeFirst(count)
        }
        while !fromTarget.isEmpty, toClient.count < Self.room {
            request.isAnswered = true
            if var body = request.response {
                guard let count = body.take(fromTarget[...]) else {
                    // The client must see that this is not all.
                    (fromTarget, targetHasEnded, targetFailure) = ([], true, .ioError)
                    break
                }
                guard count > 0 else { break }
                toClient += fromTarget[..<count]
                connection.service.counters.downstreamBytes += UInt64(count)
                fromTarget.removeFirst(count)
                request.response = body
                continue
            }
            guard case .head(let head, let length) = HTTPHead.read(fromTarget) else {
                if case .invalid = HTTPHead.read(fromTarget) {
                    conclude(connection, 502, "the answer is no response of HTTP/1", at: now)
                    return false
                }
                break
            }
            guard
                let response = HTTPResponse(
                    head, to: request.method, clientKeepsAlive: request.keepsAlive)
            else {
                conclude(connection, 502, "the answer makes no sense", at: now)
                return false
            }
            fromTarget.removeFirst(length)
            toClient += response.passed.bytes
            guard !response.isInterim else { continue }
            (request.response, request.serverKeepsAlive) = (response.body, response.keepsAlive)
        }
        current = request
        return true
    }

    private func readRequest(_ connection: StreamConnection, at now: Duration) -> Bool {
        switch HTTPHead.read(fromClient) {
        case .incomplete: return true
        case .invalid:
            conclude(connection, 400, "this is no request of HTTP/1", at: now)
            return false
        case .head(let head, let length):
            do throws(HTTPProxyAnswer) {
                let request = try HTTPProxyRequest(head)
                fromClient.removeFirst(length)
                carryOut(request, connection, at: now)
                if case .exchanging = connection.phase { return true }
            } catch {
                connection.conclude(with: error.bytes, at: now)
            }
            return false
        }
    }

    /// Ends the request or the connection where they are over; true if the connection is.
    private func finish(
        _ connection: StreamConnection, at now: Duration
    ) throws(Errno) -> Bool {
        guard toClient.isEmpty else { return false }
        guard let request = current else {
            if clientHasEnded {
                connection.close()
                return true
            }
            // An idle connection that the target has closed, or on which it has said what nobody has
            // asked; the next request gets another.
            if targetHasEnded || !fromTarget.isEmpty { forgetTarget(connection) }
            return false
        }
        if request.response.map(isOver) ?? false {
            current = nil
            guard request.keepsAlive, request.serverKeepsAlive, request.body.isComplete,
                !toTargetIsOver
            else {
                connection.conclude(with: [], at: now)
                return true
            }
            return false
        }
        if targetHasEnded {
            end(request, connection, at: now)
            return true
        }
        if clientHasEnded, fromClient.isEmpty, toTarget.isEmpty, !toTargetIsOver {
            guard request.body.isComplete else {
                connection.close()
                return true
            }
            // It may still read, or be gone.
            connection.target?.socket.finishSending()
            toTargetIsOver = true
            connection.client.socket.watchPeer(
                every: Self.watchInterval, patience: Self.watchInterval)
        }
        return false
    }

    /// Ends a request whose target has ended without a whole answer.
    private func end(_ request: Current, _ connection: StreamConnection, at now: Duration) {
        if request.response != nil {
            // The client must see that this is not all.
            connection.abort()
        } else if request.isOnKept, !request.isAnswered {
            // As servers close connections that were idle: clients then repeat what may be repeated.
            connection.conclude(with: [], at: now)
        } else if let targetFailure {
            fail(connection, targetFailure, at: now)
        } else {
            if let target { connection.service.count(ConnectFailure(target, .connectionReset)) }
            conclude(
                connection, 502,
                request.isAnswered
                    ? "it ends within the head of its answer" : "it ends without an answer", at: now
            )
        }
    }

    private func isOver(_ body: HTTPBody) -> Bool {
        body.isComplete
            || body == .untilEnd && targetHasEnded && targetFailure == nil && fromTarget.isEmpty
    }

    private func forgetTarget(_ connection: StreamConnection) {
        connection.releaseTarget()
        target = nil
        (fromTarget, targetHasEnded, targetFailure) = ([], false, nil)
    }

    private func fail(_ connection: StreamConnection, _ reason: Errno, at now: Duration) {
        guard let target else { return connection.abort() }
        let failure = ConnectFailure(target, reason)
        connection.service.count(failure)
        connection.conclude(
            with: HTTPProxyAnswer(failure.status, failure.description).bytes, at: now)
    }

    private func conclude(
        _ connection: StreamConnection, _ status: Int, _ cause: String, at now: Duration
    ) {
        let name = target.map { "\($0): " } ?? ""
        connection.conclude(with: HTTPProxyAnswer(status, name + cause).bytes, at: now)
    }

    /// Reads some bytes and returns how many: 0 at the end, nil if there are none yet.
    private func read(
        _ side: StreamRelay.Side, _ connection: StreamConnection, into buffer: inout [UInt8]
    ) throws(Errno) -> Int? {
        let room = connection.service.context.room
        do throws(Errno) {
            let count = try side.socket.receive(
                into: &room.bytes, limit: min(room.bytes.count, Self.room))
            buffer += room.bytes[..<count]
            return count
        } catch {
            guard error == .wouldBlock else { throw error }
            return nil
        }
    }

    /// Sends what the other end takes; true if it took anything.
    private func send(
        _ buffer: inout [UInt8], to side: StreamRelay.Side
    ) throws(Errno) -> Bool {
        guard !buffer.isEmpty else { return false }
        do throws(Errno) {
            let count = try side.socket.send(buffer, 0..<buffer.count)
            buffer.removeFirst(count)
            return count > 0
        } catch {
            guard error == .wouldBlock else { throw error }
            return false
        }
    }
}

/// What follows the attempt to connect to a request's target.
private struct ExchangeOutcome: ConnectionOutcome {
    let exchange: HTTPExchange

    func succeeded(_ connection: StreamConnection, _ target: StreamRelay.Side, at now: Duration) {
        connection.phase = .exchanging(exchange)
        exchange.handle(connection, at: now)
    }

    func failed(_ connection: StreamConnection, _ failure: ConnectFailure, at now: Duration) {
        connection.conclude(
            with: HTTPProxyAnswer(failure.status, failure.description).bytes, at: now)
    }
}
