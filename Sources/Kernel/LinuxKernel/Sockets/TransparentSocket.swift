import CLinux
public import SystemPackage

/// A nonblocking listener for connections to other addresses, which nftables' `tproxy` or routes
/// that treat every address as local deliver to it.
///
/// Creating it requires `CAP_NET_ADMIN` in the network namespace of the calling thread; using it
/// requires nothing. Calls that would block throw `Errno.wouldBlock`.
public struct TransparentListener: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// The descriptor, for an `EventQueue`.
    public var descriptor: FileDescriptor { owned.raw }

    /// Listens on a port that the kernel chooses.
    public init(isIPv6: Bool) throws(Errno) {
        owned = try OwnedDescriptor(
            status: lc_transparent_socket(LC_TRANSPARENT_LISTENER, isIPv6 ? 1 : 0, 0))
    }

    /// Listens on this port, and accepts Multipath TCP as well.
    public init(multipathPort port: UInt16, isIPv6: Bool) throws(Errno) {
        owned = try OwnedDescriptor(
            status: lc_transparent_socket(
                LC_TRANSPARENT_MULTIPATH_LISTENER, isIPv6 ? 1 : 0, port))
    }

    /// Takes ownership of a listener that another process created.
    public init(adopting owned: consuming OwnedDescriptor) {
        self.owned = owned
    }

    /// Makes its connections send without pacing, whatever the host's congestion control is: timers
    /// such as BBR's cost more than the rest of the sending.
    public borrowing func sendUnpaced() { lc_send_unpaced(owned.raw.rawValue) }

    /// The port that rules must name.
    public borrowing func port() throws(Errno) -> UInt16 {
        UInt16(try checked(lc_bound_port(owned.raw.rawValue)))
    }

    /// The next connection.
    ///
    /// - Parameter unsentLimit: how many unsent bytes its socket accepts.
    public borrowing func accept(unsentLimit: Int) throws(Errno) -> AcceptedStream {
        var (peer, destination) = (lc_endpoint(), lc_endpoint())
        let status = unsafe lc_accept(
            owned.raw.rawValue, UInt32(clamping: unsentLimit), &peer, &destination)
        return AcceptedStream(
            stream: StreamSocket(adopting: try OwnedDescriptor(status: status)),
            peer: Endpoint(peer), destination: Endpoint(destination))
    }
}

/// The same for datagrams.
public struct TransparentDatagramSocket: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// The descriptor, for an `EventQueue`.
    public var descriptor: FileDescriptor { owned.raw }

    /// Listens on a port that the kernel chooses.
    public init(isIPv6: Bool) throws(Errno) {
        owned = try OwnedDescriptor(
            status: lc_transparent_socket(LC_TRANSPARENT_DATAGRAM, isIPv6 ? 1 : 0, 0))
    }

    /// Takes ownership of a socket that another process created.
    public init(adopting owned: consuming OwnedDescriptor) {
        self.owned = owned
    }

    /// The port that rules must name.
    public borrowing func port() throws(Errno) -> UInt16 {
        UInt16(try checked(lc_bound_port(owned.raw.rawValue)))
    }

    /// Reads the available datagrams: at least one, and at most as many as fit into `room`.
    public borrowing func receive(into room: inout DatagramRoom) throws(Errno) -> [Datagram] {
        try room.receive(from: owned.number)
    }

    /// How many datagrams the socket has dropped so far, for lack of buffer space or because they
    /// were damaged.
    public var dropped: UInt64 { SocketDrops.count(of: owned.number) }
}
