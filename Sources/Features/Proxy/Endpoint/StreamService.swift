import LinuxKernel
import ProxyControl
import SystemPackage
import Uplink

/// Accepts the clients of one listener.
final class StreamService {
    /// A listening socket of it.
    private final class Listener: EventTarget {
        let socket: StreamListener
        var token: UInt64 = 0
        unowned let service: StreamService

        init(_ socket: consuming StreamListener, _ service: StreamService) {
            self.socket = socket
            self.service = service
        }

        func handle(_ event: EventQueue.Event, at now: Duration) {
            service.accept(from: self, at: now)
        }
    }

    private(set) var plan: ServicePlan
    let context: EndpointContext
    let files: NameFiles
    private let note: (String) -> Void
    private var listeners: [Listener] = []
    private(set) var connections: [ObjectIdentifier: StreamConnection] = [:]
    var counters = ListenerCounters()
    /// Failures that users know of.
    private var told: Set<String> = []
    private static let mostTold = 16
    /// The datagrams of SOCKS clients; nil for others.
    var associations: AssociationService?

    init(
        _ plan: ServicePlan, _ context: EndpointContext, _ files: NameFiles,
        note: @escaping (String) -> Void
    ) {
        (self.plan, self.context, self.files, self.note) = (plan, context, files, note)
    }

    /// Listens at these sockets, and at others no more.
    func listen(at sockets: [FileDescriptor]) {
        stopListening()
        for socket in sockets {
            let listener = Listener(
                StreamListener(adopting: OwnedDescriptor(adopting: socket)), self)
            guard
                let token = try? context.events.watch(
                    listener.socket.descriptor, .edge, for: listener)
            else { continue }
            listener.token = token
            listeners.append(listener)
        }
    }

    func stopListening() {
        for listener in listeners {
            context.events.forget(listener.token, listener.socket.descriptor)
        }
        listeners = []
        associations = nil
    }

    /// Takes over a changed plan.
    func change(_ plan: ServicePlan, at now: Duration) {
        let isShaped = plan.behaviours != self.plan.behaviours
        self.plan = plan
        guard isShaped else { return }
        for connection in connections.values { connection.takeOverBehaviours(at: now) }
    }

    func resetConnections() {
        for connection in connections.values { connection.abort() }
    }

    /// Gives up connections that were not established in time.
    func expire(at now: Duration) {
        for connection in connections.values { connection.expire(at: now) }
    }

    // MARK: Clients

    private func accept(from listener: Listener, at now: Duration) {
        while true {
            do throws(Errno) {
                if plan.isLocal {
                    take(try listener.socket.acceptLocal(), from: nil, at: nil, now)
                } else {
                    let accepted = try listener.socket.acceptWithEnds(
                        unsentLimit: StreamRelay.Side.leastUnsent)
                    let (peer, destination) = (accepted.peer, accepted.destination)
                    take(accepted.take(), from: peer, at: destination, now)
                }
            } catch {
                guard error.isLackOfDescriptors, discardNext(of: listener) else { return }
            }
        }
    }

    private func take(
        _ socket: consuming StreamSocket, from peer: Endpoint?, at destination: Endpoint?,
        _ now: Duration
    ) {
        guard context.reserveDescriptors(StreamConnection.descriptors) else {
            socket.resetOnClose()
            return refuse()
        }
        let side =
            plan.isWithinHost && !plan.isLocal
            ? StreamRelay.Side(clientWithinHost: socket) : StreamRelay.Side(socket)
        let connection = StreamConnection(
            side, of: self, from: peer, at: destination, begun: now)
        connections[ObjectIdentifier(connection)] = connection
        counters.accepted += 1
        counters.open += 1
        connection.start(at: now)
    }

    /// Resets the next client, using the spare descriptor. Returns whether there was one.
    private func discardNext(of listener: Listener) -> Bool {
        context.withSpareDescriptor {
            guard
                let client = try? listener.socket.accept(
                    unsentLimit: StreamRelay.Side.leastUnsent)
            else { return false }
            client.resetOnClose()
            refuse()
            return true
        }
    }

    private func refuse() {
        counters.refused += 1
        guard context.noteRefusal() else { return }
        note(
            "connections are refused: a process may have no more than \(DescriptorLimit.current) "
                + "descriptors open, two for each connection; allow it more with ulimit -n")
    }

    /// A connection is over.
    func remove(_ connection: StreamConnection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        context.releaseDescriptors(StreamConnection.descriptors)
        counters.open -= 1
    }

    /// A target was not reached.
    func count(_ failure: ConnectFailure) {
        counters.failed += 1
        counters.lastFailure = failure.description
        // Clients of SOCKS and HTTP are told; others only see a reset.
        switch plan.kind {
        case .forward, .door:
            guard told.count < Self.mostTold, told.insert(failure.description).inserted else {
                return
            }
            note(failure.description)
        case .forwardDatagrams, .socks, .http: break
        }
    }
}
