import LinkModel
import LinuxKernel
import Netlink
import Synchronization
import SystemPackage
import Uplink

/// The ports of the host that lead to the command's servers, while it runs.
struct Publication {
    private let relay: PublishedRelay
    private let wires: [String: Wire]
    private let channel: MessageChannel

    /// Starts to serve the ports; for the far side. Nil without ports.
    init?(
        _ sockets: PublishedSockets?, _ request: SandboxRequest, _ wires: [Wire],
        _ links: SandboxLinks, _ channel: MessageChannel
    ) throws(UplinkError) {
        guard let sockets else { return nil }
        self.channel = channel
        self.wires = Dictionary(uniqueKeysWithValues: wires.map { ($0.app.name, $0) })
        // There are no other devices: `SandboxRequest.obstacleOfDevices`.
        let app = links.namespaces.apps[0]
        let warned = WarnedPorts()
        relay = try PublishedRelay(
            sockets, ways: Self.ways(to: links.interfaces, self.wires)
        ) { port in
            guard Self.isOnLoopbackOnly(port, in: app),
                warned.insert(port)
            else { return }
            channel.send(
                .note(
                    "--publish: the server at port \(port) listens on 127.0.0.1 or ::1 alone, "
                        + "where nothing arrives from outside the run; let it listen on all "
                        + "addresses, such as 0.0.0.0"))
        }
        for port in request.publishedPorts {
            channel.send(.explanation("port \(port.port) of the command is published: \(port)"))
        }
    }

    /// Follows the command's interfaces: new connections go over the most preferred usable one.
    func follow(_ links: SandboxLinks) {
        relay.follow(Self.ways(to: links.interfaces, wires))
    }

    /// Refuses new connections, since the command has ended.
    func stopListening() { relay.stopListening() }

    /// Ends when all that the command has sent was passed on, or after `limit`.
    func finish(within limit: Duration) {
        relay.finish(within: limit)
        let count = relay.refusedConnections
        guard count > 0 else { return }
        channel.send(
            .note(
                "\(count) connection\(count == 1 ? " was" : "s were") refused at published ports: "
                    + "linkcond may have no more than \(DescriptorLimit.current) descriptors open, "
                    + "two for each connection; allow it more with ulimit -n"))
    }

    private static func ways(
        to interfaces: [SandboxLinks.Interface], _ wires: [String: Wire]
    ) -> [PublishedRelay.Way] {
        interfaces.filter(\.isUsable).flatMap { interface in
            let wire = wires[interface.name]?.limited(to: interface.conditions.middle?.family)
            return (wire?.families ?? []).map {
                PublishedRelay.Way(app: $0.app, gateway: $0.gateway)
            }
        }
    }

    /// Whether a server listens on a loopback address of a namespace, and none on others.
    private static func isOnLoopbackOnly(
        _ port: ServerPort, in namespace: FileDescriptor
    ) -> Bool {
        let listeners = try? NetworkNamespace.visit(namespace) {
            ListedSocket.all(.tcp).filter {
                $0.local.port == port.number && $0.state == .listening
            }
        }
        guard let listeners, !listeners.isEmpty else { return false }
        return listeners.allSatisfy(\.local.address.isLoopback)
    }
}

/// The ports of which the user was warned.
private final class WarnedPorts: Sendable {
    private let ports = Mutex<Set<ServerPort>>([])

    /// Adds a port; false if it was there already.
    func insert(_ port: ServerPort) -> Bool { ports.withLock { $0.insert(port).inserted } }
}
