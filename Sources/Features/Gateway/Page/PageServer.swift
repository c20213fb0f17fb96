import LinuxKernel
import SystemPackage

/// The connections of browsers to the page. It never waits for one of them.
final class PageServer {
    private final class Listener {
        let socket: StreamListener

        init(_ socket: consuming StreamListener) { self.socket = socket }
    }

    private final class Connection {
        let socket: StreamSocket
        let peer: IPAddress
        /// When it is closed, by `KernelClock.monotonic`.
        let end: Duration
        var received: [UInt8] = []
        /// The response, once there is one.
        var response: [UInt8]?
        var sent = 0
        var isDone = false

        init(_ socket: consuming StreamSocket, _ peer: IPAddress, end: Duration) {
            self.socket = socket
            self.peer = peer
            self.end = end
        }
    }

    private let listeners: [Listener]
    private var connections: [Connection] = []

    static let port: UInt16 = 80
    /// For a request and its response together.
    private static let patience = Duration.seconds(10)
    private static let mostConnections = 128
    private static let mostOfOneDevice = 16
    private static let shape = StreamShape(
        unsentLimit: 65_536, segmentSize: 1400, receiveBuffer: 16_384, growsWithReading: false)

    /// Listens at all of `addresses`.
    init(at addresses: [IPAddress]) throws(GatewayError) {
        var listeners: [Listener] = []
        for address in addresses {
            let endpoint = Endpoint(address, port: Self.port)
            do {
                listeners.append(Listener(try StreamListener(at: endpoint, Self.shape)))
            } catch {
                throw GatewayError(
                    "the page cannot listen at \(endpoint): \(error)"
                        + (error == .addressInUse
                            ? "; end the server that does (ss -lntp), or use --page off" : ""))
            }
        }
        self.listeners = listeners
    }

    /// What to wait for.
    var descriptors: [FileDescriptor] {
        listeners.map { $0.socket.descriptor }
            + connections.filter { $0.response == nil }.map { $0.socket.descriptor }
    }

    /// Whether responses wait for devices that read slowly.
    var isSending: Bool { connections.contains { $0.response != nil } }

    /// Serves what is ready, and closes what takes too long.
    func serve(
        _ ready: [FileDescriptor], _ answer: (PageRequest, IPAddress) -> PageResponse
    ) {
        let now = KernelClock.monotonic
        for listener in listeners where ready.contains(listener.socket.descriptor) {
            letIn(listener, now)
        }
        for connection in connections {
            if connection.response == nil, ready.contains(connection.socket.descriptor) {
                receive(connection, answer)
            }
            if connection.response != nil { send(connection) }
        }
        connections.removeAll { $0.isDone || $0.end < now }
    }

    private func letIn(_ listener: Listener, _ now: Duration) {
        for _ in 0..<Self.mostConnections {
            var peer: Endpoint?
            guard
                let socket = try? listener.socket.accept(
                    unsentLimit: Self.shape.unsentLimit, from: &peer), let peer
            else { return }
            let others = connections.indices.filter { connections[$0].peer == peer.address }
            if others.count >= Self.mostOfOneDevice { connections.remove(at: others[0]) }
            if connections.count >= Self.mostConnections { connections.removeFirst() }
            connections.append(Connection(socket, peer.address, end: now + Self.patience))
        }
    }

    private func receive(
        _ connection: Connection, _ answer: (PageRequest, IPAddress) -> PageResponse
    ) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        do {
            let count = try connection.socket.receive(into: &buffer, limit: buffer.count)
            guard count > 0 else {
                connection.isDone = true
                return
            }
            connection.received += buffer.prefix(count)
        } catch {
            connection.isDone = ![.wouldBlock, .interrupted].contains(error)
            return
        }
        switch PageRequest.reading(connection.received) {
        case .incomplete: return
        case .complete(let request):
            connection.response = answer(request, connection.peer)
                .bytes(withBody: request.method != "HEAD")
        case .unacceptable(let status):
            connection.response = GatewayPage.note(status, "That is no request for this page.")
                .bytes()
        }
    }

    private func send(_ connection: Connection) {
        guard let response = connection.response else { return }
        do {
            while connection.sent < response.count {
                connection.sent += try connection.socket.send(
                    response, connection.sent..<response.count)
            }
            connection.socket.finishSending()
            connection.isDone = true
        } catch {
            connection.isDone = ![.wouldBlock, .interrupted].contains(error)
        }
    }
}
