import LinuxKernel
import ProxyControl
import Sandbox
import SystemPackage
import Uplink

/// Leads connections that have crossed a link to Unix sockets of the host.
///
/// A Unix socket is no address of a network, so the last part of the way is a TCP connection to a
/// port of the host's loopback. Every program of the host may connect to that, but only who knows
/// the token gets further: the permissions of the socket's file stay what they are.
final class HostDoor {
    private let orders: MessageChannel
    private var doors: [String: (port: UInt16, token: [UInt8])] = [:]
    private var listeners: [Door] = []

    private final class Door {
        let listener: StreamListener

        init(_ listener: consuming StreamListener) { self.listener = listener }
    }

    private static let tokenLength = 16

    /// Starts the thread that leads them.
    ///
    /// - Parameter onNote: Takes what users should know.
    init(
        _ events: TargetedEvents<any EventTarget>, onNote: @escaping (String) -> Void
    ) throws {
        let (orders, inner) = try MessageChannel.pair()
        self.orders = orders
        // Who does not read stops the thread.
        _ = try events.watch(
            orders.descriptor, .level,
            for: ChannelTarget { _ in
                if case .note(let text) = orders.receive(EndpointReport.self) { onNote(text) }
            })
        _ = try KernelThread(named: "unix sockets") {
            KernelThread.outliveBrokenPipes()
            try? EndpointLoop(inner, isBehindLink: false).run()
        }
    }

    /// The port and the token that lead to a path.
    func door(to path: String) throws(Errno) -> (port: UInt16, token: [UInt8]) {
        if let door = doors[path] { return door }
        let address = Endpoint(IPAddress(ipv4: 0x7f00_0001), port: 0)
        let door = Door(try StreamListener(at: address, StreamRelay.Side.shapeWithinHost))
        let port = try door.listener.port()
        let token = (0..<Self.tokenLength).map { _ in UInt8.random(in: .min ... .max) }
        let plan = ServicePlan(
            number: listeners.count, kind: .door(path: path, token: token))
        guard let bytes = try? ControlLine.encode(EndpointOrder.serve(plan)) else {
            throw .invalidArgument
        }
        try orders.send(bytes, with: [door.listener.descriptor])
        listeners.append(door)
        doors[path] = (port, token)
        return (port, token)
    }
}
