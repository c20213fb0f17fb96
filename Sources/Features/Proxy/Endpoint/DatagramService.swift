import LinuxKernel
import ProxyControl
import ProxyProtocols
import SystemPackage
import Uplink

/// Relays UDP between clients and a target. Each client has a socket of its own toward the target,
/// as long as it is used.
final class DatagramService {
    /// What distinguishes clients.
    struct Key: Hashable {
        let entrance: ObjectIdentifier
        let client: Endpoint
        /// The address that the client has sent to, and that must answer.
        let host: IPAddress
    }

    private(set) var plan: ServicePlan
    private let context: EndpointContext
    private let files: NameFiles
    private let note: (String) -> Void
    private var entrances: [DatagramEntrance] = []
    private var sessions: [Key: DatagramSession] = [:]
    var counters = ListenerCounters()

    /// How long a client may be silent.
    static let idleLimit = Duration.seconds(60)

    init(
        _ plan: ServicePlan, _ context: EndpointContext, _ files: NameFiles,
        note: @escaping (String) -> Void
    ) {
        (self.plan, self.context, self.files, self.note) = (plan, context, files, note)
    }

    func listen(at sockets: [FileDescriptor]) {
        stopListening()
        entrances = DatagramEntrance.open(sockets, context) { [weak self] in
            self?.receive(from: $0, at: $1)
        }
    }

    func stopListening() {
        for entrance in entrances { entrance.close(context) }
        entrances = []
        endSessions()
    }

    /// Takes over a changed plan; sessions keep their target.
    func change(_ plan: ServicePlan) { self.plan = plan }

    func endSessions() {
        for session in sessions.values { end(session) }
    }

    /// Ends sessions that have been idle for too long.
    func expire(at now: Duration) {
        for session in sessions.values where session.lastUse + Self.idleLimit <= now {
            end(session)
        }
    }

    private func receive(from entrance: DatagramEntrance, at now: Duration) {
        guard let datagrams = try? entrance.socket.receive(into: &context.datagramRoom) else {
            return
        }
        for datagram in datagrams {
            guard let session = session(of: datagram, entrance, at: now) else { continue }
            session.lastUse = now
            counters.upstreamBytes += UInt64(datagram.payload.count)
            session.send(datagram.payload)
        }
    }

    private func session(
        of datagram: Datagram, _ entrance: DatagramEntrance, at now: Duration
    ) -> DatagramSession? {
        let key = Key(
            entrance: ObjectIdentifier(entrance), client: datagram.sender,
            host: datagram.destination.address)
        if let session = sessions[key] { return session }
        guard context.reserveDescriptors(1) else {
            counters.refused += 1
            if context.noteRefusal() {
                note(
                    "datagrams of new clients are dropped: a process may have no more than "
                        + "\(DescriptorLimit.current) descriptors open; allow it more with "
                        + "ulimit -n")
            }
            return nil
        }
        let session = DatagramSession(key, entrance, context, at: now)
        session.onAnswer = { [weak self] in self?.counters.downstreamBytes += UInt64($0) }
        sessions[key] = session
        counters.accepted += 1
        counters.open += 1
        if case .forwardDatagrams(let text) = plan.kind, let target = try? TargetAddress(text) {
            connect(session, to: target, at: now)
        }
        return session
    }

    private func connect(_ session: DatagramSession, to target: TargetAddress, at now: Duration) {
        let found = context.find(target, files.current(at: now)) {
            [weak self, weak session] result, _ in
            guard let self, let session else { return }
            switch result {
            case .success(let endpoints): session.connect(to: endpoints.first)
            case .failure(let failure):
                self.counters.failed += 1
                self.counters.lastFailure = "\(target): \(failure.reason)"
                self.end(session)
            }
        }
        switch found {
        case .endpoints(let endpoints): session.connect(to: endpoints.first)
        case .path: break
        case .question(let lookup):
            session.lookup = lookup
            lookup.start(at: now)
        }
    }

    private func end(_ session: DatagramSession) {
        guard sessions.removeValue(forKey: session.key) != nil else { return }
        session.close()
        context.releaseDescriptors(1)
        counters.open -= 1
    }
}

/// The datagrams of one client.
final class DatagramSession: EventTarget {
    let key: DatagramService.Key
    private let entrance: DatagramEntrance
    private let context: EndpointContext
    var lastUse: Duration
    var lookup: NameLookup?
    var onAnswer: (Int) -> Void = { _ in }
    private var target: TargetSocket?
    /// Datagrams that wait for the target's address.
    private var waiting: [[UInt8]] = []

    private static let mostWaiting = 32

    init(
        _ key: DatagramService.Key, _ entrance: DatagramEntrance,
        _ context: EndpointContext, at now: Duration
    ) {
        (self.key, self.entrance, self.context, lastUse) = (key, entrance, context, now)
    }

    /// Sends to this endpoint from now on; nil: there is none.
    func connect(to endpoint: Endpoint?) {
        lookup = nil
        guard let endpoint, let socket = try? DatagramSocket(connectedTo: endpoint) else { return }
        let target = TargetSocket(socket)
        guard
            let token = try? context.events.watch(target.socket.descriptor, .level, for: self)
        else { return }
        target.token = token
        self.target = target
        for payload in waiting { send(payload) }
        waiting = []
    }

    /// Sends a datagram; one that cannot be sent is lost, as in a network.
    func send(_ payload: [UInt8]) {
        guard let target else {
            if lookup != nil, waiting.count < Self.mostWaiting { waiting.append(payload) }
            return
        }
        do throws(Errno) {
            try target.socket.send(payload)
        } catch {
            // It may be the refusal of an earlier datagram, reported only now.
            if error == .connectionRefused { try? target.socket.send(payload) }
        }
    }

    func handle(_ event: EventQueue.Event, at now: Duration) {
        // Throws if the target has refused a datagram, which a client's socket cannot be told.
        guard let target,
            let datagrams = try? target.socket.receive(into: &context.datagramRoom)
        else { return }
        lastUse = now
        for datagram in datagrams {
            onAnswer(datagram.payload.count)
            try? entrance.socket.send(datagram.payload, from: key.host, to: key.client)
        }
    }

    func close() {
        lookup?.cancel()
        lookup = nil
        if let target { context.events.forget(target.token) }
        target = nil
    }

    /// Holds the socket, which an optional property cannot.
    private final class TargetSocket {
        let socket: DatagramSocket
        var token: UInt64 = 0

        init(_ socket: consuming DatagramSocket) { self.socket = socket }
    }
}
