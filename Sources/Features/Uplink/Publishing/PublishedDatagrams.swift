import LinuxKernel
import SystemPackage

/// Relays UDP from clients of the host to servers of the app.
///
/// Each client has its own port on the far side, so that the app's servers can tell clients apart.
final class PublishedDatagrams {
    /// The datagrams of one client.
    final class Flow {
        let entry: PublishedSockets.Datagrams
        let key: Key
        let way: PublishedRelay.Way
        /// Connected to the server.
        let socket: DatagramSocket
        var token: UInt64 = 0
        var lastUse: Duration

        init(
            _ entry: PublishedSockets.Datagrams, _ key: Key, _ way: PublishedRelay.Way,
            _ socket: consuming DatagramSocket, at now: Duration
        ) {
            self.entry = entry
            self.key = key
            self.way = way
            self.socket = socket
            lastUse = now
        }
    }

    /// What distinguishes flows.
    struct Key: Hashable {
        let entry: ObjectIdentifier
        let client: Endpoint
        /// The address of the host that the client has sent to, and that must answer.
        let host: IPAddress
    }

    private let events: TargetedEvents<PublishedLoop.Target>
    private let state: PublishedRelay.State
    private let limit: Int
    private var flows: [Key: Flow] = [:]
    private var room = DatagramRoom()

    /// As long as a NAT should keep them (RFC 4787, REQ-5).
    private static let idleLimit = Duration.seconds(300)

    init(
        events: TargetedEvents<PublishedLoop.Target>, state: PublishedRelay.State, limit: Int
    ) {
        self.events = events
        self.state = state
        self.limit = limit
    }

    /// Whether `expire` may have work later.
    var hasDeadlines: Bool { !flows.isEmpty }

    /// Passes on what clients have sent. A datagram that cannot be sent is lost, as in a network.
    func receive(from entry: PublishedSockets.Datagrams, at now: Duration) {
        guard let datagrams = try? entry.socket.receive(into: &room) else { return }
        for datagram in datagrams {
            guard let flow = flow(of: datagram, entry, at: now) else { continue }
            flow.lastUse = now
            do throws(Errno) {
                try flow.socket.send(datagram.payload)
            } catch {
                // It may be the refusal of an earlier datagram, reported only now.
                if error == .connectionRefused { try? flow.socket.send(datagram.payload) }
            }
        }
    }

    /// Passes on what the server has answered.
    func receive(by flow: Flow, at now: Duration) {
        // Throws if the server refused a datagram, which the client's socket cannot be told.
        guard let datagrams = try? flow.socket.receive(into: &room) else { return }
        flow.lastUse = now
        for datagram in datagrams {
            try? flow.entry.socket.send(
                datagram.payload, from: flow.key.host, to: flow.key.client)
        }
    }

    private func flow(
        of datagram: Datagram, _ entry: PublishedSockets.Datagrams, at now: Duration
    ) -> Flow? {
        let key = Key(
            entry: ObjectIdentifier(entry), client: datagram.sender,
            host: datagram.destination.address)
        guard let way = state.ways.first else { return nil }
        if let flow = flows[key] {
            if flow.way == way { return flow }
            // The app's interface has changed.
            drop(key)
        }
        if flows.count >= limit, let oldest = flows.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            drop(oldest.key)
        }
        guard
            let socket = try? DatagramSocket(
                connectedTo: Endpoint(way.app, port: entry.port), from: way.gateway)
        else { return nil }
        let flow = Flow(entry, key, way, socket, at: now)
        guard let token = try? events.watch(flow.socket.descriptor, .level, for: .flow(flow))
        else { return nil }
        flow.token = token
        flows[key] = flow
        return flow
    }

    private func drop(_ key: Key) {
        guard let flow = flows.removeValue(forKey: key) else { return }
        events.forget(flow.token)
    }

    /// Drops flows that have been idle for too long.
    func expire(at now: Duration) {
        for (key, flow) in flows where flow.lastUse + Self.idleLimit <= now { drop(key) }
    }
}
