import LinuxKernel
import ProxyProtocols
import SystemPackage
import Uplink

/// The part of a connection in which the client says what it wants.
protocol Negotiation: AnyObject {
    /// The client may have sent something.
    func handle(_ connection: StreamConnection, at now: Duration)
}

/// What follows an attempt to connect to a target.
protocol ConnectionOutcome {
    /// The target is connected.
    func succeeded(
        _ connection: StreamConnection, _ target: StreamRelay.Side, at now: Duration)
    /// It is not.
    func failed(_ connection: StreamConnection, _ failure: ConnectFailure, at now: Duration)
}

/// Passes everything on; a client whose target refuses is reset.
struct PlainForward: ConnectionOutcome {
    /// What the client has sent already.
    var first: [UInt8] = []

    func succeeded(_ connection: StreamConnection, _ target: StreamRelay.Side, at now: Duration) {
        connection.relay(first: first, at: now)
    }

    func failed(_ connection: StreamConnection, _ failure: ConnectFailure, at now: Duration) {
        connection.abort()
    }
}

extension StreamConnection {
    /// Reads at most `limit` bytes that the client has sent; nil if there are none yet. Ends the
    /// connection if the client has.
    func readClient(limit: Int) -> [UInt8]? {
        let room = service.context.room
        do throws(Errno) {
            let count = try client.socket.receive(into: &room.bytes, limit: limit)
            guard count > 0 else {
                close()
                return nil
            }
            return Array(room.bytes.prefix(count))
        } catch {
            if error != .wouldBlock { abort() }
            return nil
        }
    }
}

/// Asks for the token of a Unix socket.
final class DoorKeeper: Negotiation {
    private let token: [UInt8]
    private let path: String
    private var received: [UInt8] = []

    init(token: [UInt8], path: String) { (self.token, self.path) = (token, path) }

    func handle(_ connection: StreamConnection, at now: Duration) {
        while received.count < token.count {
            guard let bytes = connection.readClient(limit: token.count - received.count) else {
                return
            }
            received += bytes
        }
        // The same time for every wrong one.
        guard zip(received, token).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else {
            return connection.abort()
        }
        connection.connect(to: .local(path: path), then: PlainForward(), at: now)
    }
}

/// Talks SOCKS5 with a client.
final class SOCKSServer: Negotiation {
    private var negotiation = SOCKSNegotiation()
    private static let longestRequest = 1024

    func handle(_ connection: StreamConnection, at now: Duration) {
        while true {
            switch negotiation.next() {
            case .wait:
                guard let bytes = connection.readClient(limit: Self.longestRequest) else { return }
                negotiation.add(bytes)
            case .answer(let bytes):
                guard
                    (try? connection.client.socket.send(bytes, 0..<bytes.count)) == bytes.count
                else { return connection.abort() }
            case .refuse(let bytes): return connection.conclude(with: bytes, at: now)
            case .request(let request): return carryOut(request, connection, at: now)
            }
        }
    }

    private func carryOut(
        _ request: SOCKSRequest, _ connection: StreamConnection, at now: Duration
    ) {
        switch request.command {
        case .connect:
            connection.connect(
                to: request.target, then: SOCKSConnect(first: negotiation.rest), at: now)
        case .associate:
            guard let associations = connection.service.associations,
                let answer = associations.begin(connection, request.target)
            else {
                return connection.conclude(with: SOCKSReply.commandNotSupported.bytes(), at: now)
            }
            let bytes = SOCKSReply.succeeded.bytes(answer)
            guard (try? connection.client.socket.send(bytes, 0..<bytes.count)) == bytes.count
            else { return connection.abort() }
            connection.associate()
        case .bind:
            connection.conclude(with: SOCKSReply.commandNotSupported.bytes(), at: now)
        }
    }
}

/// What a SOCKS client is told of its target.
private struct SOCKSConnect: ConnectionOutcome {
    let first: [UInt8]

    func succeeded(_ connection: StreamConnection, _ target: StreamRelay.Side, at now: Duration) {
        connection.relay(first: first, answer: SOCKSReply.succeeded.bytes(), at: now)
    }

    func failed(_ connection: StreamConnection, _ failure: ConnectFailure, at now: Duration) {
        connection.conclude(with: failure.reply.bytes(), at: now)
    }
}

/// Reads the first request of a client of the HTTP proxy.
final class HTTPServer: Negotiation {
    private var received: [UInt8] = []

    func handle(_ connection: StreamConnection, at now: Duration) {
        while true {
            switch HTTPHead.read(received) {
            case .incomplete:
                guard let bytes = connection.readClient(limit: HTTPHead.longest) else { return }
                received += bytes
            case .invalid:
                return connection.conclude(
                    with: HTTPProxyAnswer(400, "this is no request of HTTP/1").bytes, at: now)
            case .head(let head, let length):
                do throws(HTTPProxyAnswer) {
                    let request = try HTTPProxyRequest(head)
                    carryOut(request, Array(received[length...]), connection, at: now)
                } catch {
                    connection.conclude(with: error.bytes, at: now)
                }
                return
            }
        }
    }

    private func carryOut(
        _ request: HTTPProxyRequest, _ rest: [UInt8], _ connection: StreamConnection,
        at now: Duration
    ) {
        switch request.kind {
        case .connect:
            connection.connect(to: request.target, then: HTTPConnect(first: rest), at: now)
        case .pass:
            let exchange = HTTPExchange()
            connection.phase = .exchanging(exchange)
            exchange.begin(request, rest, connection, at: now)
        }
    }
}

/// What a client is told of the target of its CONNECT.
struct HTTPConnect: ConnectionOutcome {
    let first: [UInt8]

    func succeeded(_ connection: StreamConnection, _ target: StreamRelay.Side, at now: Duration) {
        connection.relay(first: first, answer: HTTPProxyAnswer.connected, at: now)
    }

    func failed(_ connection: StreamConnection, _ failure: ConnectFailure, at now: Duration) {
        connection.conclude(
            with: HTTPProxyAnswer(failure.status, failure.description).bytes, at: now)
    }
}
