import LinuxKernel
import SystemPackage

/// Relays TCP.
///
/// The relay answers a connection request of the app once the host's end has answered: it connects
/// first, and then passes the request to the listener, sends a reset, sends an ICMP error, or stays
/// silent.
package final class StreamRelay {
    /// A connection of the app.
    final class Connection {
        /// The state of a connection.
        enum Phase {
            /// The host's end has not answered yet.
            case connecting(Attempt)
            /// It is one of the far side itself, which the kernel has accepted; the host's end has not
            /// answered yet.
            case awaited(Side, untried: [Endpoint])
            /// The app's request was passed to the listener.
            case offered
            /// Both ends are connected.
            case relaying(Side)
            /// It is over.
            case closed
        }

        let ends: Ends
        var phase: Phase
        var host: Side
        var deadline: Duration
        var pumps = Pumps()
        var isQueued = false

        init(_ ends: Ends, _ phase: Phase, host: Side, deadline: Duration) {
            self.ends = ends
            self.phase = phase
            self.host = host
            self.deadline = deadline
        }
    }

    /// The app's request and the relay's progress with it.
    struct Attempt {
        let request: RequestPacket
        /// The host endpoints not tried yet.
        var untried: [Endpoint]
        /// Whether a host endpoint refused because nothing listens there.
        var wasRefused = false
    }

    /// The endpoints that identify a connection.
    struct Ends: Hashable {
        var app: Endpoint
        var destination: Endpoint
    }

    private let events: RelayEvents
    private let host: HostMapping
    private let paths: MultipathPorts?
    private let answer: ([UInt8], IPAddress) -> Void
    private let budget: DescriptorBudget
    private let orders: RelayOrders
    private let spare = SpareDescriptor()
    private(set) var connections: [Ends: Connection] = [:] {
        didSet { budget.streams = connections.count }
    }
    private var queued: [Connection] = []
    private let room = PumpRoom()
    /// How many bytes were moved since `takeCount`.
    private var count: UInt64 = 0

    /// After this time neither end tries any more: Linux gives up after 127 s by default.
    private static let connectTimeout = Duration.seconds(130)
    /// Within this time the listener's side has answered the app's request, or given up after 63 s.
    private static let offerTimeout = Duration.seconds(75)

    init(
        events: RelayEvents, host: HostMapping, paths: MultipathPorts?,
        budget: DescriptorBudget, orders: RelayOrders,
        answer: @escaping ([UInt8], IPAddress) -> Void
    ) {
        self.events = events
        self.host = host
        self.paths = paths
        self.budget = budget
        self.orders = orders
        self.answer = answer
    }

    /// Whether work remains that no event will announce.
    var hasQueued: Bool { !queued.isEmpty }

    // MARK: Establishment

    /// Handles a request for a connection or for an additional subflow.
    func handle(_ request: RequestPacket, at now: Duration) {
        if request.kind == .path {
            // The kernel knows which connection it belongs to.
            paths?.letThrough(request)
            return
        }
        let ends = Ends(app: request.source, destination: request.destination)
        if let connection = connections[ends] {
            // A retransmission: the answer is pending, or it was lost.
            if case .connecting = connection.phase { return }
            letThrough(request)
            return
        }
        guard budget.hasRoomForStream else { return refuse(request) }
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

    /// Tries the next host endpoint, or reports to the app that there is none left.
    private func connect(_ attempt: Attempt, _ ends: Ends, at now: Duration) {
        var attempt = attempt
        let endpoint = attempt.untried.removeFirst()
        do {
            let side = try Side(connectingTo: endpoint, isDirect: host.network.isDirect)
            let connection = Connection(
                ends, .connecting(attempt), host: side, deadline: now + Self.connectTimeout)
            side.token = try events.watch(
                side.socket.descriptor, .edge, for: .stream(connection))
            connections[ends] = connection
            // Within a host the answer is there at once.
            if side.isWithinHost, side.isConnected {
                finishConnecting(connection, attempt, at: now)
            }
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

    /// Continues with the next host endpoint; after the last one, reports the failure to the app as
    /// a network would.
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

    /// Refuses a connection for lack of file descriptors, as a host without any would.
    private func refuse(_ request: RequestPacket) {
        orders.countRefusedConnection()
        answer(AnswerPacket.reset(answering: request), request.source.address)
    }

    /// Accepts connections whose request was passed to the listener.
    func accept(from listener: borrowing TransparentListener, at now: Duration) {
        while true {
            do throws(Errno) {
                take(try listener.accept(unsentLimit: Side.leastUnsent), at: now)
            } catch {
                guard error.isLackOfDescriptors, discardNext(of: listener) else { return }
            }
        }
    }

    private func take(_ accepted: consuming AcceptedStream, at now: Duration) {
        let ends = Ends(app: accepted.peer, destination: accepted.destination)
        let stream = accepted.take()
        guard let connection = connections[ends], case .offered = connection.phase else {
            stream.resetOnClose()
            guard host.network.isOwn(ends.app.address), budget.hasRoomForStream else { return }
            return connect(Side(stream), host.endpoints(for: ends.destination), ends, at: now)
        }
        let side = Side(stream)
        // If this process is killed, the app must not take what it has got for everything.
        side.socket.resetOnClose()
        connection.phase = .relaying(side)
        do {
            side.token = try events.watch(side.socket.descriptor, .edge, for: .stream(connection))
        } catch {
            abort(connection)
        }
    }

    /// Connects a stream of the far side itself with the next host endpoint; after the last one, it is
    /// reset.
    private func connect(_ near: Side, _ endpoints: [Endpoint], _ ends: Ends, at now: Duration) {
        guard let endpoint = endpoints.first else { return }
        let untried = Array(endpoints.dropFirst())
        do {
            let side = try Side(connectingTo: endpoint, isDirect: host.network.isDirect)
            let connection = Connection(
                ends, .awaited(near, untried: untried), host: side,
                deadline: now + Self.connectTimeout)
            side.token = try events.watch(
                side.socket.descriptor, .edge, for: .stream(connection))
            connections[ends] = connection
        } catch {
            connect(near, untried, ends, at: now)
        }
    }

    private func finishConnecting(
        _ connection: Connection, _ near: Side, _ untried: [Endpoint], at now: Duration
    ) {
        do {
            try connection.host.socket.checkError()
            near.token = try events.watch(near.socket.descriptor, .edge, for: .stream(connection))
            connection.phase = .relaying(near)
            pump(connection, near, at: now)
        } catch {
            drop(connection)
            connect(near, untried, connection.ends, at: now)
        }
    }

    /// Resets the next connection of a listener, using the spare file descriptor. Returns whether
    /// there was a connection.
    private func discardNext(of listener: borrowing TransparentListener) -> Bool {
        spare.lend { () -> Bool in
            guard let accepted = try? listener.accept(unsentLimit: Side.leastUnsent) else {
                return false
            }
            let ends = Ends(app: accepted.peer, destination: accepted.destination)
            accepted.take().resetOnClose()
            if let connection = connections[ends] { abort(connection) }
            orders.countRefusedConnection()
            return true
        }
    }

    // MARK: Data

    /// Handles an event of a connection's socket.
    func handle(_ event: EventQueue.Event, _ connection: Connection, at now: Duration) {
        switch connection.phase {
        case .connecting(let attempt):
            if event.isWritable { finishConnecting(connection, attempt, at: now) }
        case .awaited(let near, let untried):
            if event.isWritable { finishConnecting(connection, near, untried, at: now) }
        case .offered, .closed: break
        case .relaying(let far): pump(connection, far, at: now)
        }
    }

    /// Continues connections that had used up their turn.
    func continueQueued(at now: Duration) {
        let turn = queued
        queued = []
        for connection in turn {
            connection.isQueued = false
            if case .relaying(let far) = connection.phase { pump(connection, far, at: now) }
        }
    }

    /// Moves data as long as both sides allow it.
    private func pump(_ connection: Connection, _ far: Side, at now: Duration) {
        let before = connection.pumps.count
        defer { count += connection.pumps.count - before }
        switch connection.pumps.move(between: far, and: connection.host, room, at: now) {
        case .failed: return abort(connection)
        case .over: return conclude(connection)
        case .waiting: return
        case .unfinished: break
        }
        guard !connection.isQueued else { return }
        connection.isQueued = true
        queued.append(connection)
    }

    /// How many bytes were moved since the last call.
    func takeCount() -> UInt64 {
        defer { count = 0 }
        return count
    }

    /// Closes a connection so that both ends see a reset.
    func abort(_ connection: Connection) {
        connection.host.socket.resetOnClose()
        if case .relaying(let far) = connection.phase { far.socket.resetOnClose() }
        drop(connection)
    }

    /// Closes a connection that has ended in order.
    func conclude(_ connection: Connection) {
        if case .relaying(let far) = connection.phase { far.socket.finishOnClose() }
        drop(connection)
    }

    /// Removes a connection and closes its sockets.
    func drop(_ connection: Connection) {
        events.forget(connection.host.token)
        if case .relaying(let far) = connection.phase { events.forget(far.token) }
        connection.phase = .closed
        connections[connection.ends] = nil
    }

    /// Gives up connections that were not established in time.
    func expire(at now: Duration) {
        for connection in connections.values where connection.deadline <= now {
            if case .relaying = connection.phase { continue }
            abort(connection)
        }
    }

    /// Whether `expire` may have work later.
    var hasDeadlines: Bool { !connections.isEmpty }
}
