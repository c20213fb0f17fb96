import LinuxKernel
import SystemPackage

/// The relay's listeners of Multipath TCP, one for each port that apps connect to.
///
/// The kernel takes one more path of a connection only from a listener that has the port of the
/// connection. So the one listener to which all other connections are handed will not do. The
/// listeners are opened when they are needed, by a thread on the far side (`MultipathListeners`).
/// A port that a server of the sandbox has is none for the relay: connections to hosts on that
/// port get the one path that they would have without.
final class MultipathPorts {
    /// A port with its listener.
    final class Port {
        let listener: TransparentListener

        init(_ listener: consuming TransparentListener) {
            self.listener = listener
        }
    }

    private struct Key: Hashable {
        var number: UInt16
        var isIPv6: Bool
    }

    private let sockets: RelaySockets.Multipath
    private let events: RelayEvents
    /// Nil where there cannot be one.
    private var ports: [Key: Port?] = [:]

    private static let limit = 256

    init(_ sockets: RelaySockets.Multipath, events: RelayEvents) {
        self.sockets = sockets
        self.events = events
    }

    /// Whether somebody listens on the port of `destination`, now if not before.
    func listens(on destination: Endpoint) -> Bool {
        let key = Key(number: destination.port, isIPv6: destination.address.isIPv6)
        if let known = ports[key] { return known != nil }
        guard ports.count < Self.limit else { return false }
        let port = open(key)
        ports[key] = .some(port)
        return port != nil
    }

    private func open(_ key: Key) -> Port? {
        guard
            let descriptor = MultipathListeners.ask(
                key.number, isIPv6: key.isIPv6, over: sockets.channel)
        else { return nil }
        let port = Port(TransparentListener(adopting: OwnedDescriptor(adopting: descriptor)))
        let token = try? events.watch(
            port.listener.descriptor, .level, for: .acceptMultipath(port))
        return token == nil ? nil : port
    }

    /// Sends a request where the listener of its port gets it.
    func letThrough(_ request: RequestPacket) {
        let address = request.destination.address
        let sender = address.isIPv6 ? sockets.ipv6 : sockets.ipv4
        try? sender?.raw.send(request.bytes, to: address)
    }
}
