import LinuxKernel
import Middleboxes
import SystemPackage
import Uplink

/// The name server in the middle of the links of a run for questions by TCP, on the far side. What
/// stands in the middle leads connections here while it has something to say to them.
///
/// It asks the name server that the app has asked; if that cannot be reached, the app's connection is
/// reset. It never waits for one of its clients, and ends with the process.
final class NameServer {
    private final class Connection {
        let app: StreamSocket
        let door: NameDoor
        /// Which name server the app has asked.
        let server: Endpoint
        var names: NameStream
        var appToken: UInt64 = 0
        var upstream: Upstream?
        var hasAppEnded = false
        /// How often it may connect again to a server that ends connections after each answer.
        var attempts = 1000
        var lastUse: Duration

        init(
            _ app: consuming StreamSocket, _ door: NameDoor, to server: Endpoint, at now: Duration
        ) {
            (self.door, self.server, lastUse) = (door, server, now)
            self.app = app
            names = NameStream(ignoresIPv6: door.ignoresIPv6)
        }

        /// Whether names get addresses of the NAT64: not by a name server behind that.
        var isSynthesizing: Bool {
            server.address.isIPv6 && NAT64.ipv4(of: server.address) == nil && door.isSynthesizing()
        }

        /// Whether so much waits to be sent that nothing more is read.
        var isFull: Bool {
            max(names.toApp.count, names.toServer.count) >= NameServer.mostWaiting
        }
    }

    private final class Upstream {
        let socket: StreamSocket
        var token: UInt64 = 0
        var hasAnswered = false
        var hasFinished = false

        init(_ socket: consuming StreamSocket) { self.socket = socket }
    }

    private enum Target {
        case listener(FarListener)
        case connection(Connection)
    }

    private let events: TargetedEvents<Target>
    private let addresses: [IPAddress]
    private let doors: [IPAddress: NameDoor]
    private let network: FarNetwork?
    private var connections: [ObjectIdentifier: Connection] = [:]
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// A client or a server that is silent for longer is gone; the middle keeps no connection longer.
    private static let patience = Duration.seconds(120)
    /// Below the number of descriptors that a process has by default, of which each takes two.
    private static let mostConnections = 256
    private static let mostWaiting = 131_072

    private init(
        _ listeners: [FarListener], at addresses: [IPAddress], doors: [IPAddress: NameDoor],
        network: FarNetwork?
    ) throws(Errno) {
        (self.addresses, self.doors, self.network) = (addresses, doors, network)
        events = try TargetedEvents()
        for listener in listeners {
            _ = try events.watch(listener.socket.descriptor, .level, for: .listener(listener))
        }
    }

    /// Starts to serve in the calling thread's network namespace.
    ///
    /// - Parameters:
    ///   - addresses: its addresses; those that the kernel does not have are left out.
    ///   - doors: what stands in the middle by the addresses of those behind it.
    ///   - network: the network that the relay carries; nil: there is no uplink.
    static func start(
        at addresses: [IPAddress], doors: [IPAddress: NameDoor], network: FarNetwork?
    ) throws(KernelError) -> KernelThread {
        let listeners = try FarListener.all(
            at: addresses, port: MiddleboxPlace.namePort, server: "the name server in the middle")
        return try KernelThread(named: "names") {
            let server = try? NameServer(
                listeners, at: addresses, doors: doors, network: network)
            server?.run()
        }
    }

    private func run() {
        while true {
            let events = try? self.events.wait(
                timeout: connections.isEmpty ? nil : .seconds(10))
            let now = KernelClock.monotonic
            for event in events ?? [] {
                switch self.events.target(of: event.token) {
                case .listener(let listener): letIn(listener, now)
                case .connection(let connection): turn(connection, now)
                case nil: break
                }
            }
            for connection in connections.values where now - connection.lastUse > Self.patience {
                drop(connection, isReset: true)
            }
        }
    }

    private func letIn(_ listener: FarListener, _ now: Duration) {
        while let accepted = try? listener.socket.acceptWithEnds(
            unsentLimit: FarListener.shape.unsentLimit)
        {
            let peer = accepted.peer
            let socket = accepted.take()
            guard connections.count < Self.mostConnections, let door = doors[peer.address],
                let server = door.server(peer), !addresses.contains(server.address)
            else {
                socket.resetOnClose()
                continue
            }
            let connection = Connection(socket, door, to: server, at: now)
            guard
                let token = try? events.watch(
                    connection.app.descriptor, .edge, for: .connection(connection))
            else { continue }
            connection.appToken = token
            connections[ObjectIdentifier(connection)] = connection
        }
    }

    /// Moves what can be moved.
    private func turn(_ connection: Connection, _ now: Duration) {
        connection.lastUse = now
        do throws(Errno) {
            while try step(connection) {}
        } catch {
            drop(connection, isReset: true)
        }
    }

    /// Does one round; false if nothing is left to do for now.
    private func step(_ connection: Connection) throws(Errno) -> Bool {
        var hasMoved = false
        if !connection.hasAppEnded, !connection.isFull,
            let bytes = try receive(from: connection.app)
        {
            hasMoved = true
            connection.hasAppEnded = bytes.isEmpty
            connection.names.ask(bytes, connection.door.answer)
        }
        if let upstream = connection.upstream, !connection.isFull,
            let bytes = try receive(from: upstream.socket)
        {
            hasMoved = true
            if bytes.isEmpty {
                events.forget(upstream.token)
                connection.upstream = nil
                guard upstream.hasAnswered, connection.attempts > 0,
                    connection.names.askAgain()
                else {
                    connection.hasAppEnded = true
                    connection.names.toServer = []
                    return true
                }
                connection.attempts -= 1
            } else {
                upstream.hasAnswered = true
                let count = connection.names.answer(
                    bytes, isSynthesizing: connection.isSynthesizing)
                if count > 0 { connection.door.countSynthesized(count) }
            }
        }
        if !connection.names.toServer.isEmpty {
            let upstream: Upstream
            if let known = connection.upstream {
                upstream = known
            } else {
                upstream = try connect(connection)
            }
            try send(&connection.names.toServer, to: upstream.socket)
        }
        try send(&connection.names.toApp, to: connection.app)
        guard connection.hasAppEnded else { return hasMoved }
        if let upstream = connection.upstream {
            if connection.names.toServer.isEmpty, !connection.names.isWaiting,
                !upstream.hasFinished
            {
                upstream.hasFinished = true
                upstream.socket.finishSending()
            }
        } else if connection.names.toApp.isEmpty {
            drop(connection, isReset: false)
            return false
        }
        return hasMoved
    }

    private func connect(_ connection: Connection) throws(Errno) -> Upstream {
        let asked = connection.server
        let endpoint =
            connection.door.isSynthesizing()
            ? NAT64.ipv4(of: asked.address).map { Endpoint($0, port: asked.port) } ?? asked : asked
        guard let source = addresses.first(where: { $0.isIPv6 == endpoint.address.isIPv6 }) else {
            throw .addressNotAvailable
        }
        let upstream = Upstream(
            try StreamSocket(
                fromFarSideTo: endpoint, at: source, network,
                unsentLimit: FarListener.shape.unsentLimit))
        upstream.token = try events.watch(
            upstream.socket.descriptor, .edge, for: .connection(connection))
        connection.upstream = upstream
        return upstream
    }

    /// What has arrived; empty at the end, nil if nothing has.
    private func receive(from socket: borrowing StreamSocket) throws(Errno) -> [UInt8]? {
        do throws(Errno) {
            let count = try socket.receive(into: &buffer, limit: buffer.count)
            return Array(buffer.prefix(count))
        } catch {
            guard [.wouldBlock, .interrupted].contains(error) else { throw error }
            return nil
        }
    }

    /// Sends as much as the socket takes.
    private func send(
        _ bytes: inout [UInt8], to socket: borrowing StreamSocket
    ) throws(Errno) {
        do throws(Errno) {
            while !bytes.isEmpty {
                bytes.removeFirst(try socket.send(bytes, 0..<bytes.count))
            }
        } catch {
            guard [.wouldBlock, .interrupted].contains(error) else { throw error }
        }
    }

    private func drop(_ connection: Connection, isReset: Bool) {
        if isReset {
            connection.app.resetOnClose()
            connection.upstream?.socket.resetOnClose()
        }
        events.forget(connection.appToken)
        if let upstream = connection.upstream { events.forget(upstream.token) }
        connection.upstream = nil
        connections[ObjectIdentifier(connection)] = nil
    }
}
