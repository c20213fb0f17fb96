import LinuxKernel
import ProxyControl
import ProxyProtocols
import SystemPackage
import Uplink

/// Relays the datagrams of SOCKS5 clients (RFC 1928, section 7).
///
/// All clients of a listener send to the same port. A client is known by the address of its
/// connection, and by its port from the first datagram on.
final class AssociationService {
    /// The datagrams of one client, as long as its connection lasts.
    private final class Association {
        let connection: StreamConnection
        /// The client's endpoint for datagrams; nil until it has sent one.
        var client: Endpoint?
        /// Where the client has sent to, and who must answer.
        var host: IPAddress?
        var outlets: [Bool: Outlet] = [:]
        /// How many names are being looked up.
        var lookups = 0

        init(_ connection: StreamConnection, client: Endpoint?) {
            (self.connection, self.client) = (connection, client)
        }
    }

    /// A socket toward targets of one family.
    private final class Outlet: EventTarget {
        let socket: DatagramSocket
        var token: UInt64 = 0
        private let onEvent: (Outlet) -> Void

        init(_ socket: consuming DatagramSocket, onEvent: @escaping (Outlet) -> Void) {
            self.socket = socket
            self.onEvent = onEvent
        }

        func handle(_ event: EventQueue.Event, at now: Duration) { onEvent(self) }
    }

    private let context: EndpointContext
    private let files: NameFiles
    private var entrances: [DatagramEntrance] = []
    private var associations: [ObjectIdentifier: Association] = [:]
    private unowned let service: StreamService

    private static let mostLookups = 16

    init(_ service: StreamService, sockets: [FileDescriptor]) {
        (context, files, self.service) = (service.context, service.files, service)
        entrances = DatagramEntrance.open(sockets, context) { [weak self] in
            self?.receive(from: $0, at: $1)
        }
    }

    deinit {
        for entrance in entrances { entrance.close(context) }
    }

    /// Begins to relay for the client of a connection, and returns where it may send to; nil if
    /// nowhere.
    ///
    /// - Parameter announced: Where the client says that it sends from; unspecified if it does not
    ///   know.
    func begin(_ connection: StreamConnection, _ announced: TargetAddress) -> Endpoint? {
        guard let host = connection.destination?.address, let peer = connection.peer,
            let entrance = entrances.first, let port = try? entrance.socket.port()
        else { return nil }
        var client: Endpoint?
        if case .endpoint(let endpoint) = announced, endpoint.port > 0 {
            client = Endpoint(peer.address, port: endpoint.port)
        }
        associations[ObjectIdentifier(connection)] = Association(connection, client: client)
        return Endpoint(host, port: port)
    }

    /// Relays no more for the client of a connection.
    func end(of connection: StreamConnection) {
        guard let association = associations.removeValue(forKey: ObjectIdentifier(connection))
        else { return }
        for outlet in association.outlets.values {
            context.events.forget(outlet.token)
            context.releaseDescriptors(1)
        }
    }

    private func association(of datagram: Datagram) -> Association? {
        let candidates = associations.values
        if let known = candidates.first(where: { $0.client == datagram.sender }) { return known }
        return candidates.first {
            $0.client == nil && $0.connection.peer?.address == datagram.sender.address
        }
    }

    private func receive(from entrance: DatagramEntrance, at now: Duration) {
        guard let datagrams = try? entrance.socket.receive(into: &context.datagramRoom) else {
            return
        }
        for datagram in datagrams {
            guard let association = association(of: datagram),
                let content = SOCKSDatagram(datagram.payload)
            else { continue }
            association.client = datagram.sender
            association.host = datagram.destination.address
            service.counters.upstreamBytes += UInt64(content.payload.count)
            send(content, association, entrance, at: now)
        }
    }

    private func send(
        _ content: SOCKSDatagram, _ association: Association, _ entrance: DatagramEntrance,
        at now: Duration
    ) {
        let payload = content.payload
        var pending: NameLookup?
        let found = context.find(content.target, files.current(at: now)) {
            [weak self, weak association] result, _ in
            _ = pending
            pending = nil
            guard let self, let association else { return }
            association.lookups -= 1
            guard case .success(let endpoints) = result else { return }
            self.send(payload, to: endpoints.first, association, entrance)
        }
        switch found {
        case .endpoints(let endpoints): send(payload, to: endpoints.first, association, entrance)
        case .path: break
        case .question(let lookup):
            guard association.lookups < Self.mostLookups else { return }
            association.lookups += 1
            pending = lookup
            lookup.start(at: now)
        }
    }

    private func send(
        _ payload: [UInt8], to endpoint: Endpoint?, _ association: Association,
        _ entrance: DatagramEntrance
    ) {
        guard let endpoint,
            let outlet = outlet(isIPv6: endpoint.address.isIPv6, association, entrance)
        else { return }
        while outlet.socket.nextFailure() != nil {}
        try? outlet.socket.send(payload, to: endpoint)
    }

    private func outlet(
        isIPv6: Bool, _ association: Association, _ entrance: DatagramEntrance
    ) -> Outlet? {
        if let outlet = association.outlets[isIPv6] { return outlet }
        guard associations[ObjectIdentifier(association.connection)] != nil,
            context.reserveDescriptors(1)
        else { return nil }
        guard let socket = try? DatagramSocket(isIPv6: isIPv6) else {
            context.releaseDescriptors(1)
            return nil
        }
        let outlet = Outlet(socket) { [weak self, weak association] in
            guard let self, let association else { return }
            self.answer(from: $0, association, entrance)
        }
        guard let token = try? context.events.watch(outlet.socket.descriptor, .level, for: outlet)
        else {
            context.releaseDescriptors(1)
            return nil
        }
        outlet.token = token
        association.outlets[isIPv6] = outlet
        return outlet
    }

    private func answer(
        from outlet: Outlet, _ association: Association, _ entrance: DatagramEntrance
    ) {
        while outlet.socket.nextFailure() != nil {}
        guard let client = association.client, let host = association.host,
            let datagrams = try? outlet.socket.receive(into: &context.datagramRoom)
        else { return }
        for datagram in datagrams {
            service.counters.downstreamBytes += UInt64(datagram.payload.count)
            let bytes = SOCKSDatagram.bytes(
                from: context.named(datagram.sender), datagram.payload)
            try? entrance.socket.send(bytes, from: host, to: client)
        }
    }
}
