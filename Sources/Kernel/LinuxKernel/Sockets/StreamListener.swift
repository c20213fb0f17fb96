import CLinux
public import SystemPackage

/// A nonblocking listener for TCP connections to an address of this host.
///
/// Calls that would block throw `Errno.wouldBlock`.
public struct StreamListener: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// The descriptor, for an `EventQueue`.
    public var descriptor: FileDescriptor { owned.raw }

    /// Listens at `endpoint`; its connections have this shape.
    ///
    /// - Throws: `Errno.addressInUse` if another socket has the port, `Errno.permissionDenied` if
    ///   the port takes a privilege.
    public init(at endpoint: Endpoint, _ shape: StreamShape) throws(Errno) {
        owned = try OwnedDescriptor(status: lc_listen_stream(endpoint.shim, shape.shim))
    }

    /// Takes ownership of a listener that another process has opened.
    public init(adopting owned: consuming OwnedDescriptor) {
        self.owned = owned
    }

    /// The next connection.
    ///
    /// - Parameter unsentLimit: how many unsent bytes its socket accepts.
    public borrowing func accept(unsentLimit: Int) throws(Errno) -> StreamSocket {
        var peer: Endpoint?
        return try accept(unsentLimit: unsentLimit, from: &peer)
    }

    /// The next connection, and the other end of it.
    ///
    /// - Parameter unsentLimit: how many unsent bytes its socket accepts.
    public borrowing func accept(
        unsentLimit: Int, from other: inout Endpoint?
    ) throws(Errno) -> StreamSocket {
        var (peer, destination) = (lc_endpoint(), lc_endpoint())
        let status = unsafe lc_accept(
            owned.number, UInt32(clamping: unsentLimit), &peer, &destination)
        let socket = try OwnedDescriptor(status: status)
        other = Endpoint(peer)
        return StreamSocket(adopting: socket)
    }

    /// Refuses connections from now on, even if other processes have copies of the descriptor.
    public borrowing func stop() {
        _ = lc_stop_listening(owned.number)
    }
}

extension StreamSocket {
    /// Starts to connect from one of this host's addresses.
    ///
    /// - Parameters:
    ///   - mark: the mark of its packets, which takes `CAP_NET_ADMIN` (`SO_MARK`); 0: none.
    ///   - unsentLimit: how many unsent bytes the socket accepts.
    public init(
        connectingTo endpoint: Endpoint, from source: IPAddress, mark: UInt32 = 0, unsentLimit: Int
    ) throws(Errno) {
        self.init(
            adopting: try OwnedDescriptor(
                status: lc_connect_stream_from(
                    Endpoint(source, port: 0).shim, endpoint.shim, mark,
                    UInt32(clamping: unsentLimit))))
    }
}

extension DatagramSocket {
    /// Makes a UDP socket at an address and port of this host.
    ///
    /// - Throws: as `StreamListener.init`.
    public init(at endpoint: Endpoint) throws(Errno) {
        self.init(adopting: try OwnedDescriptor(status: lc_bind_datagram(endpoint.shim)))
    }

    /// Makes a UDP socket at one of this host's addresses, connected to one peer.
    public init(connectedTo endpoint: Endpoint, from source: IPAddress) throws(Errno) {
        self.init(
            adopting: try OwnedDescriptor(
                status: lc_connect_datagram_from(Endpoint(source, port: 0).shim, endpoint.shim)))
    }
}
