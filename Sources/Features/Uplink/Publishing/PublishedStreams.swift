import LinkModel
import LinuxKernel
import SystemPackage

/// Relays TCP from clients of the host to servers of the app.
final class PublishedStreams {
    /// A client's connection.
    final class Connection {
        /// The state of a connection.
        enum Phase {
            /// The server has not answered yet; these ways are left to try.
            case connecting(untried: ArraySlice<PublishedRelay.Way>)
            /// Both ends are connected.
            case relaying
            /// It is over.
            case closed
        }

        let client: StreamRelay.Side
        let port: UInt16
        var server: StreamRelay.Side?
        var phase: Phase
        let deadline: Duration
        /// Up is from the server to the client, as everywhere.
        var pumps = StreamRelay.Pumps()
        var isQueued = false

        init(
            client: StreamRelay.Side, port: UInt16, ways: [PublishedRelay.Way], deadline: Duration
        ) {
            self.client = client
            self.port = port
            self.deadline = deadline
            phase = .connecting(untried: ways[...])
        }

        /// Whether everything that the server has sent was passed to the host's kernel.
        fileprivate var isSettled: Bool {
            guard case .relaying = phase, let server else { return true }
            return pumps.up.hasFinished || pumps.upHasFailed
                || pumps.up.isEmpty && !server.isReadable
        }
    }

    private let events: TargetedEvents<PublishedLoop.Target>
    private let state: PublishedRelay.State
    private let orders: RelayOrders
    private let limit: Int
    private let onRefusal: (ServerPort) -> Void
    private let spare = SpareDescriptor()
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var queued: [Connection] = []
    private let room = PumpRoom()

    /// After this time the kernel does not try any more: Linux gives up after 127 s by default.
    private static let connectTimeout = Duration.seconds(130)

    init(
        events: TargetedEvents<PublishedLoop.Target>, state: PublishedRelay.State,
        orders: RelayOrders, limit: Int, onRefusal: @escaping (ServerPort) -> Void
    ) {
        self.events = events
        self.state = state
        self.orders = orders
        self.limit = limit
        self.onRefusal = onRefusal
    }

    /// Whether work remains that no event will announce.
    var hasQueued: Bool { !queued.isEmpty }

    /// Whether `expire` may have work later.
    var hasDeadlines: Bool { !connections.isEmpty }

    /// Whether everything that the app has sent was passed to the host's kernel.
    var isSettled: Bool { queued.isEmpty && connections.values.allSatisfy(\.isSettled) }

    // MARK: Establishment

    /// Accepts the clients that wait.
    func accept(from entry: PublishedSockets.Streams, at now: Duration) {
        while true {
            do throws(Errno) {
                take(
                    try entry.listener.accept(unsentLimit: StreamRelay.Side.leastUnsent), entry,
                    at: now)
            } catch {
                guard error.isLackOfDescriptors, discardNext(of: entry) else { return }
            }
        }
    }

    private func take(
        _ socket: consuming StreamSocket, _ entry: PublishedSockets.Streams, at now: Duration
    ) {
        guard connections.count < limit else {
            orders.countRefusedConnection()
            return socket.resetOnClose()
        }
        let client =
            entry.isWithinHost
            ? StreamRelay.Side(clientWithinHost: socket) : StreamRelay.Side(socket)
        let connection = Connection(
            client: client, port: entry.port, ways: state.ways,
            deadline: now + Self.connectTimeout)
        connections[ObjectIdentifier(connection)] = connection
        do throws(Errno) {
            client.token = try events.watch(
                client.socket.descriptor, .edge, for: .stream(connection))
            tryNext(connection, after: .networkUnreachable)
        } catch {
            abort(connection)
        }
    }

    /// Resets the next client, using the spare file descriptor. Returns whether there was one.
    private func discardNext(of entry: PublishedSockets.Streams) -> Bool {
        spare.lend { () -> Bool in
            guard
                let client = try? entry.listener.accept(unsentLimit: StreamRelay.Side.leastUnsent)
            else { return false }
            client.resetOnClose()
            orders.countRefusedConnection()
            return true
        }
    }

    /// Tries the next way to the server; resets the client if there is none.
    private func tryNext(_ connection: Connection, after reason: Errno) {
        var reason = reason
        while case .connecting(var untried) = connection.phase, let way = untried.popFirst() {
            connection.phase = .connecting(untried: untried)
            do throws(Errno) {
                let server = StreamRelay.Side(
                    try StreamSocket(
                        connectingTo: Endpoint(way.app, port: connection.port), from: way.gateway,
                        unsentLimit: StreamRelay.Side.leastUnsent))
                server.token = try events.watch(
                    server.socket.descriptor, .edge, for: .stream(connection))
                connection.server = server
                return
            } catch {
                reason = error
            }
        }
        if reason == .connectionRefused, let port = ServerPort(connection.port) { onRefusal(port) }
        abort(connection)
    }

    private func finishConnecting(_ connection: Connection, at now: Duration) {
        guard let server = connection.server else { return }
        do throws(Errno) {
            // The event may have been the client's.
            let (ready, _) = try StreamSocket.readiness(of: server.socket, and: server.socket)
            guard ready.isWritable else { return }
            try server.socket.checkError()
            connection.phase = .relaying
        } catch {
            events.forget(server.token)
            connection.server = nil
            return tryNext(connection, after: error)
        }
        pump(connection, server, at: now)
    }

    // MARK: Data

    /// Handles an event of one of a connection's sockets.
    func handle(_ connection: Connection, at now: Duration) {
        switch connection.phase {
        case .connecting: finishConnecting(connection, at: now)
        case .relaying:
            if let server = connection.server { pump(connection, server, at: now) }
        case .closed: break
        }
    }

    /// Continues connections that had used up their turn.
    func continueQueued(at now: Duration) {
        let turn = queued
        queued = []
        for connection in turn {
            connection.isQueued = false
            if case .relaying = connection.phase, let server = connection.server {
                pump(connection, server, at: now)
            }
        }
    }

    private func pump(_ connection: Connection, _ server: StreamRelay.Side, at now: Duration) {
        switch connection.pumps.move(between: server, and: connection.client, room, at: now) {
        case .failed: abort(connection)
        case .over: drop(connection)
        case .waiting: break
        case .unfinished:
            guard !connection.isQueued else { return }
            connection.isQueued = true
            queued.append(connection)
        }
    }

    // MARK: Closing

    /// Closes a connection so that both ends see a reset.
    private func abort(_ connection: Connection) {
        connection.client.socket.resetOnClose()
        connection.server?.socket.resetOnClose()
        drop(connection)
    }

    private func drop(_ connection: Connection) {
        events.forget(connection.client.token)
        if let server = connection.server { events.forget(server.token) }
        connection.phase = .closed
        connections[ObjectIdentifier(connection)] = nil
    }

    /// Gives up connections that were not established in time.
    func expire(at now: Duration) {
        for connection in connections.values where connection.deadline <= now {
            if case .connecting = connection.phase { abort(connection) }
        }
    }

    /// Closes all connections; clients to which the server has not said everything see a reset.
    func end() {
        for connection in connections.values {
            if connection.pumps.up.hasFinished { drop(connection) } else { abort(connection) }
        }
    }
}
