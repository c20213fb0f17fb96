import LinkModel
import LinuxKernel
import SystemPackage

/// The host's sockets of published ports.
///
/// A socket belongs to the network namespace in which it was made, wherever it is used. So these
/// are made on the host before the sandbox, and served on its far side.
public final class PublishedSockets: Sendable {
    /// A listener for TCP.
    final class Streams: Sendable {
        let listener: StreamListener
        /// The server's port.
        let port: UInt16
        /// Whether all clients are on this host.
        let isWithinHost: Bool

        init(_ listener: consuming StreamListener, port: UInt16, isWithinHost: Bool) {
            self.listener = listener
            self.port = port
            self.isWithinHost = isWithinHost
        }
    }

    /// A socket for UDP.
    final class Datagrams: Sendable {
        let socket: DatagramSocket
        /// The server's port.
        let port: UInt16

        init(_ socket: consuming DatagramSocket, port: UInt16) {
            self.socket = socket
            self.port = port
        }
    }

    let streams: [Streams]
    let datagrams: [Datagrams]

    /// Opens the sockets in the calling thread's network namespace.
    public init(_ ports: [PublishedPort]) throws(UplinkError) {
        var streams: [Streams] = []
        var datagrams: [Datagrams] = []
        for port in ports {
            for endpoint in port.endpoints {
                do throws(Errno) {
                    if port.port.isUDP {
                        datagrams.append(
                            Datagrams(
                                try DatagramSocket(at: endpoint), port: port.port.number))
                    } else {
                        streams.append(try Self.listen(at: endpoint, for: port))
                    }
                } catch {
                    // A host without IPv6 has only one loopback.
                    let isMissing =
                        error == .addressNotAvailable || error == .addressFamilyNotSupported
                    guard port.address == nil, endpoint.address.isIPv6, isMissing else {
                        throw .notPublished(port, at: endpoint, error)
                    }
                }
            }
        }
        (self.streams, self.datagrams) = (streams, datagrams)
    }

    private static func listen(
        at endpoint: Endpoint, for port: PublishedPort
    ) throws(Errno) -> Streams {
        let isWithinHost = endpoint.address.isLoopback
        let shape = isWithinHost ? StreamRelay.Side.shapeWithinHost : StreamRelay.Side.shape
        return Streams(
            try StreamListener(at: endpoint, shape), port: port.port.number,
            isWithinHost: isWithinHost)
    }

    /// Refuses connections from now on, even if other processes have copies of the sockets.
    public func stopListening() {
        for stream in streams { stream.listener.stop() }
    }
}

extension UplinkError {
    /// Why a port cannot be published, and what to do.
    static func reason(_ port: PublishedPort, _ endpoint: Endpoint, _ errno: Errno) -> String {
        let what = "--publish \(port): "
        switch errno {
        case .addressInUse:
            return what + "\(endpoint) is in use on this host; choose another port, such as "
                + "\(endpoint.port == .max ? 8080 : endpoint.port + 1):\(port.port)"
        case .permissionDenied:
            return what + "this host lets only root listen on port \(endpoint.port); choose one "
                + "from 1024, such as 8080:\(port.port)"
        case .addressNotAvailable:
            return what + "this host has no address \(endpoint.address)"
        default:
            return what + "cannot listen at \(endpoint): \(errno)"
        }
    }
}
