import LinuxKernel
import ProxyControl
import ProxyProtocols
import SystemPackage
import Uplink

/// The sockets of one listener, on the host. Copies serve at the end of a link.
final class ListenerSockets {
    private let streams: [Stream]
    private let datagrams: [Datagram]
    /// Where they are, with the port that they got.
    let address: ListenAddress
    /// The path that they have made.
    private var path: String?

    private final class Stream {
        let listener: StreamListener

        init(_ listener: consuming StreamListener) { self.listener = listener }
    }

    private final class Datagram {
        let socket: DatagramSocket

        init(_ socket: consuming DatagramSocket) { self.socket = socket }
    }

    /// Opens them.
    ///
    /// - Parameter needsDatagrams: Whether a stream listener has sockets for datagrams, too.
    init(at address: ListenAddress, needsDatagrams: Bool) throws(ControlError) {
        var streams: [Stream] = []
        var datagrams: [Datagram] = []
        var opened = address
        do throws(Errno) {
            switch address {
            case .local(let path):
                streams.append(Stream(try StreamListener(atPath: path)))
                self.path = path
            case .stream(let endpoints):
                let shape =
                    address.isWithinHost
                    ? StreamRelay.Side.shapeWithinHost : StreamRelay.Side.shape
                for endpoint in endpoints {
                    guard
                        let listener = try Self.open(
                            endpoint, isNeeded: streams.isEmpty,
                            { () throws(Errno) in Stream(try StreamListener(at: endpoint, shape)) })
                    else { continue }
                    streams.append(listener)
                    if endpoint.port == 0 {
                        opened = address.withPort(try listener.listener.port())
                    }
                    guard needsDatagrams else { continue }
                    datagrams.append(
                        try Self.datagrams(
                            beside: Endpoint(
                                endpoint.address, port: try listener.listener.port())))
                }
            case .datagram(let endpoints):
                for endpoint in endpoints {
                    guard
                        let socket = try Self.open(
                            endpoint, isNeeded: datagrams.isEmpty,
                            { () throws(Errno) in Datagram(try DatagramSocket(at: endpoint)) })
                    else { continue }
                    datagrams.append(socket)
                    if endpoint.port == 0 { opened = address.withPort(try socket.socket.port()) }
                }
            }
        } catch {
            throw Self.problem(address, error)
        }
        (self.streams, self.datagrams, self.address) = (streams, datagrams, opened)
    }

    /// Opens one of several sockets; nil for a loopback that this host does not have.
    private static func open<Socket>(
        _ endpoint: Endpoint, isNeeded: Bool, _ body: () throws(Errno) -> Socket
    ) throws(Errno) -> Socket? {
        do throws(Errno) {
            return try body()
        } catch {
            let isMissing = error == .addressNotAvailable || error == .addressFamilyNotSupported
            guard isMissing, !isNeeded else { throw error }
            return nil
        }
    }

    /// Where SOCKS clients send datagrams to: the same port if it is free.
    private static func datagrams(beside endpoint: Endpoint) throws(Errno) -> Datagram {
        if let same = try? DatagramSocket(at: endpoint) { return Datagram(same) }
        return Datagram(try DatagramSocket(at: Endpoint(endpoint.address, port: 0)))
    }

    /// All of them: those for streams first.
    var descriptors: [FileDescriptor] {
        streams.map { $0.listener.descriptor } + datagrams.map { $0.socket.descriptor }
    }

    /// Refuses clients from now on, though copies may still be open.
    func close() {
        for stream in streams { stream.listener.stop() }
        if let path { LocalPath.remove(path) }
        path = nil
    }

    deinit { close() }

    private static func problem(_ address: ListenAddress, _ reason: Errno) -> ControlError {
        switch reason {
        case .addressInUse:
            return ControlError(
                .addressInUse,
                "cannot listen at \(address): the address is in use; end the program that has it, "
                    + "or choose another", field: "address")
        case .permissionDenied, .notPermitted:
            return ControlError(
                .notPermitted,
                "cannot listen at \(address): \(reason); ports below 1024 take sudo, or "
                    + "sysctl net.ipv4.ip_unprivileged_port_start", field: "address")
        case .addressNotAvailable, .addressFamilyNotSupported:
            return ControlError(
                .addressNotAvailable, "cannot listen at \(address): this host has no such address",
                field: "address")
        default:
            return ControlError(
                .addressNotAvailable,
                "cannot listen at \(address): \(reason)\(DescriptorLimit.hint(reason))",
                field: "address")
        }
    }
}
