import LinuxKernel
import SystemPackage

/// Relays TCP.
///
/// A connection request of the app is answered when the host's end has answered: the relay
/// connects first, and then lets the request through to the listener, sends a reset, tells by
/// ICMP why not, or keeps silent.
final class StreamRelay {
    /// A connection of the app.
    final class Connection {
        /// How far it is.
        enum Phase {
            /// The host's end has not answered yet.
            case connecting(RequestPacket)
            /// The app's request was let through.
            case offered
            /// Both ends are there.
            case relaying(Side)
            /// It is over.
            case closed
        }

        let ends: Ends
        var phase: Phase
        var host: Side
        var deadline: Duration
        var up = Pump()
        var down = Pump()
        /// The host's name servers that have not been tried, if it is one that is asked.
        var untriedServers: [Endpoint]
        var isQueued = false

        init(_ ends: Ends, _ request: RequestPacket, host: Side, deadline: Duration) {
            self.ends = ends
            self.phase = .connecting(request)
            self.host = host
            self.deadline = deadline
            self.untriedServers = []
        }
    }

    /// What tells connections apart.
    struct Ends: Hashable {
        var app: Endpoint
        var destination: Endpoint
    }

    private let events: RelayEvents
    private let host: HostMapping
    private let paths: MultipathPorts?
    private let answer: ([UInt8], IPAddress) -> Void
    private let limit: Int
    private(set) var connections: [Ends: Connection] = [:]
    private var queued: [Connection] = []
    private var buffer = [UInt8](repeating: 0, count: 128 * 1024)

    /// How much the kernel takes for sending later. More would let the app's peer run ahead of
    /// the link, as no real one does.
    private static let unsentLimit: UInt32 = 128 * 1024
    /// Beyond this neither end would still try: Linux gives up after 127 s by default.
    private static let connectTimeout = Duration.seconds(130)
    /// Within this the listener's side answers the app's request, or gives up after 63 s.
    private static let offerTimeout = Duration.seconds(75)

    init(
        events: RelayEvents, host: HostMapping, paths: MultipathPorts?, limit: Int,
        answer: @escaping ([UInt8], IPAddress) -> Void
    ) {
        self.events = events
        self.host = host
        self.paths = paths
        self.limit = limit
        self.answer = answer
    }

    /// Whether there is work left without any event.
    var hasQueued: Bool { !queued.isEmpty }

    // MARK: Establishment

    /// The app asks for a connection, or for one more path of one.
    func handle(_ request: RequestPacket, at now: Duration) {
        if request.kind == .path {
            // Of which connection, the kernel knows.
            paths?.letThrough(request)
            return
        }
        let ends = Ends(app: request.source, destination: request.destination)
        if let connection = connections[ends] {
            // The app asks again: either the answer is still to come, or it got lost.
            if case .connecting = connection.phase { return }
            letThrough(request)
            return
        }
        // Without room the host is as silent as one that is overloaded.
        guard connections.count < limit else { return }
        var servers = host.endpoints(for: request.destination)
        connect(request, ends, to: servers.removeFirst(), untried: servers, at: now)
    }

    private func letThrough(_ request: RequestPacket) {
        if request.kind == .multipathConnection, let paths,
            paths.listens(on: request.destination)
        {
            paths.letThrough(request)
        } else {
            answer(request.bytes, request.destination.address)
        }
    }

    private func connect(
        _ request: RequestPacket, _ ends: Ends, to endpoint: Endpoint, untried: [Endpoint],
        at now: Duration
    ) {
        do {
            let side = Side(
                try StreamSocket(connectingTo: endpoint, unsentLimit: Self.unsentLimit))
            let connection = Connection(
                ends, request, host: side, deadline: now + Self.connectTimeout)
            connection.untriedServers = untried
            side.token = try events.watch(
                side.socket.descriptor, .edge, for: .stream(connection, side))
            connections[ends] = connection
        } catch {
            refuse(request, error, ends, untried: untried, at: now)
        }
    }

    private func finishConnecting(
        _ connection: Connection, _ request: RequestPacket, at now: Duration
    ) {
        do {
            try connection.host.socket.checkError()
            connection.phase = .offered
            connection.deadline = now + Self.offerTimeout
            letThrough(request)
        } catch {
            drop(connection)
            refuse(
                request, error, connection.ends, untried: connection.untriedServers, at: now)
        }
    }

    /// Tells the app why there is no connection, in the way that a network would.
    private func refuse(
        _ request: RequestPacket, _ reason: Errno, _ ends: Ends, untried: [Endpoint],
        at now: Duration
    ) {
        if let next = untried.first {
            connect(request, ends, to: next, untried: Array(untried.dropFirst()), at: now)
        } else if reason == .connectionRefused || reason == .connectionReset {
            answer(AnswerPacket.reset(answering: request), request.source.address)
        } else if let unreachability = Unreachability(reason) {
            answer(
                AnswerPacket.unreachable(
                    unreachability, quoting: request.bytes,
                    from: host.network.gateway(towards: request.source.address),
                    to: request.source.address),
                request.source.address)
        }
    }

    /// The listener has connections whose request was let through.
    func accept(from listener: borrowing TransparentListener) {
        while let accepted = try? listener.accept(unsentLimit: Self.unsentLimit) {
            let ends = Ends(app: accepted.peer, destination: accepted.destination)
            let stream = accepted.take()
            guard let connection = connections[ends], case .offered = connection.phase else {
                stream.resetOnClose()
                continue
            }
            let side = Side(stream)
            connection.phase = .relaying(side)
            do {
                side.token = try events.watch(
                    side.socket.descriptor, .edge, for: .stream(connection, side))
            } catch {
                abort(connection)
            }
        }
    }

    // MARK: Data

    /// A socket of a connection is ready.
    func handle(
        _ event: EventQueue.Event, _ connection: Connection, _ side: Side, at now: Duration
    ) {
        side.isReadable = side.isReadable || event.isReadable
        side.isWritable = side.isWritable || event.isWritable
        switch connection.phase {
        case .connecting(let request):
            if event.isWritable { finishConnecting(connection, request, at: now) }
        case .offered, .closed: break
        case .relaying(let far): pump(connection, far)
        }
    }

    /// Goes on with connections that had more than their turn.
    func continueQueued() {
        let turn = queued
        queued = []
        for connection in turn {
            connection.isQueued = false
            if case .relaying(let far) = connection.phase { pump(connection, far) }
        }
    }

    private func pump(_ connection: Connection, _ far: Side) {
        let up = connection.up.run(from: far, to: connection.host, &buffer)
        let down = connection.down.run(from: connection.host, to: far, &buffer)
        switch (up, down) {
        case (.failed, _), (_, .failed): abort(connection)
        case (.finished, .finished): drop(connection)
        case (.unfinished, _), (_, .unfinished):
            guard !connection.isQueued else { return }
            connection.isQueued = true
            queued.append(connection)
        default: break
        }
    }

    /// Ends a connection so that both ends see a reset.
    func abort(_ connection: Connection) {
        connection.host.socket.resetOnClose()
        if case .relaying(let far) = connection.phase { far.socket.resetOnClose() }
        drop(connection)
    }

    /// Forgets a connection; its sockets are closed with it.
    func drop(_ connection: Connection) {
        events.forget(connection.host.token)
        if case .relaying(let far) = connection.phase { events.forget(far.token) }
        connection.phase = .closed
        connections[connection.ends] = nil
    }

    /// Gives up what did not come about in time.
    func expire(at now: Duration) {
        for connection in connections.values where connection.deadline <= now {
            if case .relaying = connection.phase { continue }
            abort(connection)
        }
    }

    /// Whether `expire` may have something to do later.
    var hasDeadlines: Bool { !connections.isEmpty }
}
