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
            case connecting(Attempt)
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
        var isQueued = false

        init(_ ends: Ends, _ attempt: Attempt, host: Side, deadline: Duration) {
            self.ends = ends
            self.phase = .connecting(attempt)
            self.host = host
            self.deadline = deadline
        }
    }

    /// What the app asked for, and how far the relay is with it.
    struct Attempt {
        let request: RequestPacket
        /// The host's ends that have not been tried.
        var untried: [Endpoint]
        /// Whether one that was tried is there, and has nobody listening.
        var wasRefused = false
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
    private let counters: RelayCounters
    private let spare = SpareDescriptor()
    private(set) var connections: [Ends: Connection] = [:]
    private var queued: [Connection] = []
    private var buffer = [UInt8](repeating: 0, count: Side.mostPortion)

    /// How many portions a connection gets before it is the turn of others.
    private static let turn = 8
    /// Beyond this neither end would still try: Linux gives up after 127 s by default.
    private static let connectTimeout = Duration.seconds(130)
    /// Within this the listener's side answers the app's request, or gives up after 63 s.
    private static let offerTimeout = Duration.seconds(75)

    init(
        events: RelayEvents, host: HostMapping, paths: MultipathPorts?, limit: Int,
        counters: RelayCounters, answer: @escaping ([UInt8], IPAddress) -> Void
    ) {
        self.events = events
        self.host = host
        self.paths = paths
        self.limit = limit
        self.counters = counters
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
        guard connections.count < limit else { return refuse(request) }
        connect(
            Attempt(request: request, untried: host.endpoints(for: request.destination)), ends,
            at: now)
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

    /// Tries the next of the host's ends, or tells the app that there is none.
    private func connect(_ attempt: Attempt, _ ends: Ends, at now: Duration) {
        var attempt = attempt
        let endpoint = attempt.untried.removeFirst()
        do {
            let side = try Side(connectingTo: endpoint)
            let connection = Connection(
                ends, attempt, host: side, deadline: now + Self.connectTimeout)
            side.token = try events.watch(
                side.socket.descriptor, .edge, for: .stream(connection))
            connections[ends] = connection
        } catch {
            fail(attempt, error, ends, at: now)
        }
    }

    private func finishConnecting(
        _ connection: Connection, _ attempt: Attempt, at now: Duration
    ) {
        do {
            try connection.host.socket.checkError()
            connection.phase = .offered
            connection.deadline = now + Self.offerTimeout
            letThrough(attempt.request)
        } catch {
            drop(connection)
            fail(attempt, error, connection.ends, at: now)
        }
    }

    /// Goes on with the next of the host's ends; when it was the last one, tells the app why there
    /// is no connection, in the way that a network would.
    private func fail(_ attempt: Attempt, _ reason: Errno, _ ends: Ends, at now: Duration) {
        var attempt = attempt
        if reason == .connectionRefused || reason == .connectionReset { attempt.wasRefused = true }
        let request = attempt.request
        if reason.isLackOfDescriptors {
            refuse(request)
        } else if !attempt.untried.isEmpty {
            connect(attempt, ends, at: now)
        } else if attempt.wasRefused {
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

    /// Refuses a connection for which there are no descriptors, as a host does that has none.
    private func refuse(_ request: RequestPacket) {
        counters.countRefusedConnection()
        answer(AnswerPacket.reset(answering: request), request.source.address)
    }

    /// The listener has connections whose request was let through.
    func accept(from listener: borrowing TransparentListener) {
        while true {
            do throws(Errno) {
                take(try listener.accept(unsentLimit: Side.leastUnsent))
            } catch {
                guard error.isLackOfDescriptors, discardNext(of: listener) else { return }
            }
        }
    }

    private func take(_ accepted: consuming TransparentListener.Accepted) {
        let ends = Ends(app: accepted.peer, destination: accepted.destination)
        let stream = accepted.take()
        guard let connection = connections[ends], case .offered = connection.phase else {
            return stream.resetOnClose()
        }
        let side = Side(stream)
        connection.phase = .relaying(side)
        do {
            side.token = try events.watch(side.socket.descriptor, .edge, for: .stream(connection))
        } catch {
            abort(connection)
        }
    }

    /// Resets the next connection of a listener, for which there is no descriptor but the spare
    /// one. Returns whether there was one.
    private func discardNext(of listener: borrowing TransparentListener) -> Bool {
        spare.lend { () -> Bool in
            guard let accepted = try? listener.accept(unsentLimit: Side.leastUnsent) else {
                return false
            }
            let ends = Ends(app: accepted.peer, destination: accepted.destination)
            accepted.take().resetOnClose()
            if let connection = connections[ends] { abort(connection) }
            counters.countRefusedConnection()
            return true
        }
    }

    // MARK: Data

    /// A socket of a connection is ready.
    func handle(_ event: EventQueue.Event, _ connection: Connection, at now: Duration) {
        switch connection.phase {
        case .connecting(let attempt):
            if event.isWritable { finishConnecting(connection, attempt, at: now) }
        case .offered, .closed: break
        case .relaying(let far): pump(connection, far, at: now)
        }
    }

    /// Goes on with connections that had more than their turn.
    func continueQueued(at now: Duration) {
        let turn = queued
        queued = []
        for connection in turn {
            connection.isQueued = false
            if case .relaying(let far) = connection.phase { pump(connection, far, at: now) }
        }
    }

    /// Moves data as long as both sides let it.
    private func pump(_ connection: Connection, _ far: Side, at now: Duration) {
        let host = connection.host
        for _ in 0..<Self.turn {
            guard
                let (farReady, hostReady) = try? StreamSocket.readiness(
                    of: far.socket, and: host.socket)
            else { return abort(connection) }
            let up = connection.up.step(
                from: far, farReady, to: host, hostReady, &buffer, at: now)
            let down = connection.down.step(
                from: host, hostReady, to: far, farReady, &buffer, at: now)
            switch (up, down) {
            case (.failed, _), (_, .failed): return abort(connection)
            case (.finished, .finished): return drop(connection)
            case (.moved, _), (_, .moved): continue
            default: return
            }
        }
        guard !connection.isQueued else { return }
        connection.isQueued = true
        queued.append(connection)
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
