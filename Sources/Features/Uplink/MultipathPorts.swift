import LinuxKernel
import SystemPackage

/// The relay's Multipath TCP listeners, one for each destination port.
///
/// The kernel accepts additional subflows only on a listener that has the connection's port. So the
/// single listener for all other connections cannot serve them. A thread on the far side
/// (`MultipathListeners`) opens listeners on demand. A port used by a server of the sandbox is not
/// available: connections to hosts on that port get a single path, as without Multipath TCP.
final class MultipathPorts {
    /// A port and its listener.
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
    /// Nil for ports without a possible listener.
    private var ports: [Key: Port?] = [:]

    private static let limit = 256

    init(_ sockets: RelaySockets.Multipath, events: RelayEvents) {
        self.sockets = sockets
        self.events = events
    }

    /// Whether a listener has the port of `destination`; opens one if necessary.
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

    /// Passes a request to the listener of its port.
    func letThrough(_ request: RequestPacket) {
        let address = request.destination.address
        let sender = address.isIPv6 ? sockets.ipv6 : sockets.ipv4
        try? sender?.raw.send(request.bytes, to: address)
    }
}
