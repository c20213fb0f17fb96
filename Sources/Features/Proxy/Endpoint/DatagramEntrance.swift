import LinuxKernel
import SystemPackage
import Uplink

/// A socket at which clients' datagrams arrive.
final class DatagramEntrance: EventTarget {
    let socket: DatagramSocket
    private var token: UInt64 = 0
    private let onEvent: (DatagramEntrance, Duration) -> Void

    private init(
        _ socket: consuming DatagramSocket,
        onEvent: @escaping (DatagramEntrance, Duration) -> Void
    ) {
        self.socket = socket
        self.onEvent = onEvent
    }

    /// Watches sockets, which it owns.
    static func open(
        _ sockets: [FileDescriptor], _ context: EndpointContext,
        onEvent: @escaping (DatagramEntrance, Duration) -> Void
    ) -> [DatagramEntrance] {
        sockets.compactMap { descriptor in
            let entrance = DatagramEntrance(
                DatagramSocket(adopting: OwnedDescriptor(adopting: descriptor)), onEvent: onEvent)
            guard
                let token = try? context.events.watch(
                    entrance.socket.descriptor, .level, for: entrance)
            else { return nil }
            entrance.token = token
            return entrance
        }
    }

    func handle(_ event: EventQueue.Event, at now: Duration) { onEvent(self, now) }

    /// Takes no more.
    func close(_ context: EndpointContext) { context.events.forget(token, socket.descriptor) }
}
