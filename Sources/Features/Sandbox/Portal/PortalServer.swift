import LinuxKernel
import Middleboxes
import SystemPackage

/// The server of the captive portals of a run, on the far side. What stands in the middle of the
/// links leads the app's requests here while a portal is closed.
///
/// It never waits for one of its clients, and ends with the process.
final class PortalServer {
    private final class Connection {
        let socket: StreamSocket
        let page: PortalPage
        /// The portal that the client is behind; nil: none.
        let door: PortalDoor?
        /// Whether that was closed when the client connected.
        let wasCaptive: Bool
        /// When it is closed, by `KernelClock.monotonic`.
        let end: Duration
        var received: [UInt8] = []
        /// What is left of the response, once there is one.
        var response: [UInt8]?
        /// How many bytes came behind the request.
        var excess = 0
        var isDone = false

        init(
            _ accepted: consuming AcceptedStream, doors: [IPAddress: PortalDoor], end: Duration
        ) {
            page = PortalPage(address: accepted.destination.address)
            door = doors[accepted.peer.address]
            wasCaptive = door?.isClosed() == true
            socket = accepted.take()
            self.end = end
        }

        /// Whether the client has not used it, and the portal has opened since. Browsers open connections
        /// in advance; a request on this one would meet the portal again.
        var isOutdated: Bool {
            wasCaptive && received.isEmpty && response == nil && door?.isClosed() == false
        }
    }

    private let listeners: [FarListener]
    private let doors: [IPAddress: PortalDoor]
    private var connections: [Connection] = []

    /// For a request and its response together.
    private static let patience = Duration.seconds(60)
    /// Below the number of descriptors that a process has by default.
    private static let mostConnections = 512
    /// A client that sends more than it may does not learn why: reading it all would take too long.
    private static let mostExcess = 1 << 20

    private init(_ listeners: [FarListener], doors: [IPAddress: PortalDoor]) {
        self.listeners = listeners
        self.doors = doors
    }

    /// Starts to serve in the calling thread's network namespace.
    ///
    /// - Parameters:
    ///   - addresses: the portal's addresses; those that the kernel does not have are left out.
    ///   - doors: the portals by the addresses of those behind them.
    static func start(
        at addresses: [IPAddress], doors: [IPAddress: PortalDoor]
    ) throws(KernelError) -> KernelThread {
        let listeners = try FarListener.all(
            at: addresses, port: MiddleboxPlace.portalPort, server: "the captive portal")
        return try KernelThread(named: "portal") {
            PortalServer(listeners, doors: doors).run()
        }
    }

    private func run() -> Never {
        while true {
            let waiting = connections.filter { $0.response?.isEmpty != false }
            let isSending = waiting.count < connections.count
            let ready = Set(
                Readiness.wait(
                    for: listeners.map { $0.socket.descriptor }
                        + waiting.map { $0.socket.descriptor },
                    timeout: connections.isEmpty ? nil : .milliseconds(isSending ? 10 : 1000)))
            let now = KernelClock.monotonic
            for connection in connections {
                if ready.contains(connection.socket.descriptor) { receive(connection) }
                if connection.response?.isEmpty == false { send(connection) }
            }
            connections.removeAll { $0.isDone || $0.end < now || $0.isOutdated }
            for listener in listeners where ready.contains(listener.socket.descriptor) {
                letIn(listener, now)
            }
        }
    }

    private func letIn(_ listener: FarListener, _ now: Duration) {
        for _ in 0..<Self.mostConnections {
            do throws(Errno) {
                let accepted = try listener.socket.acceptWithEnds(
                    unsentLimit: FarListener.shape.unsentLimit)
                if connections.count >= Self.mostConnections { connections.removeFirst() }
                connections.append(
                    Connection(accepted, doors: doors, end: now + Self.patience))
            } catch {
                guard ![.wouldBlock, .interrupted].contains(error) else { return }
                // Such as a lack of descriptors: others have to end first.
                if connections.isEmpty {
                    _ = Readiness.wait(for: [], timeout: .milliseconds(50))
                } else {
                    connections.removeFirst()
                }
                return
            }
        }
    }

    private func receive(_ connection: Connection) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count: Int
        do {
            count = try connection.socket.receive(into: &buffer, limit: buffer.count)
        } catch {
            connection.isDone = ![.wouldBlock, .interrupted].contains(error)
            return
        }
        guard count > 0 else {
            connection.isDone = true
            return
        }
        guard connection.response == nil else {
            // Closing with bytes unread would reset the connection, and the response be lost.
            connection.excess += count
            connection.isDone = connection.excess > Self.mostExcess
            return
        }
        connection.received += buffer.prefix(count)
        guard
            case .answered(let response, let isClick) =
                connection.page.reading(connection.received)
        else { return }
        connection.received = []
        connection.response = response
        if isClick { connection.door?.click() }
    }

    private func send(_ connection: Connection) {
        guard let response = connection.response else { return }
        do {
            let count = try connection.socket.send(response, 0..<response.count)
            connection.response = Array(response.dropFirst(count))
            if count == response.count { connection.socket.finishSending() }
        } catch {
            connection.isDone = ![.wouldBlock, .interrupted].contains(error)
        }
    }
}
