import CLinux
public import SystemPackage

/// A nonblocking socket that gets what others sent elsewhere, as nftables' `tproxy` hands it over
/// or routes that take every address for the host's own.
///
/// Takes `CAP_NET_ADMIN` in the network namespace of the calling thread to make, and nothing to
/// use. Whatever would have to wait throws `Errno.wouldBlock`.
public struct TransparentListener: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// The descriptor, for an `EventQueue`.
    public var descriptor: FileDescriptor { owned.raw }

    /// A connection and its two ends.
    public struct Accepted: ~Copyable, Sendable {
        /// The connection.
        public let stream: StreamSocket
        /// Who connected.
        public let peer: Endpoint
        /// Where the peer meant to go.
        public let destination: Endpoint

        /// Gives the connection away.
        public consuming func take() -> StreamSocket { stream }
    }

    /// Listens on a port of the kernel's choice.
    public init(isIPv6: Bool) throws(Errno) {
        owned = try OwnedDescriptor(
            status: lc_transparent_socket(LC_TRANSPARENT_LISTENER, isIPv6 ? 1 : 0, 0))
    }

    /// Listens on this port, and gives peers that speak Multipath TCP that.
    public init(multipathPort port: UInt16, isIPv6: Bool) throws(Errno) {
        owned = try OwnedDescriptor(
            status: lc_transparent_socket(
                LC_TRANSPARENT_MULTIPATH_LISTENER, isIPv6 ? 1 : 0, port))
    }

    /// Takes charge of a listener that another process made.
    public init(adopting owned: consuming OwnedDescriptor) {
        self.owned = owned
    }

    /// The port that rules have to name.
    public borrowing func port() throws(Errno) -> UInt16 {
        UInt16(try checked(lc_bound_port(owned.raw.rawValue)))
    }

    /// The next connection.
    ///
    /// - Parameter unsentLimit: how many bytes its socket takes that were never sent yet.
    public borrowing func accept(unsentLimit: Int) throws(Errno) -> Accepted {
        var (peer, destination) = (lc_endpoint(), lc_endpoint())
        let status = unsafe lc_accept(
            owned.raw.rawValue, UInt32(clamping: unsentLimit), &peer, &destination)
        return Accepted(
            stream: StreamSocket(adopting: try OwnedDescriptor(status: status)),
            peer: Endpoint(peer), destination: Endpoint(destination))
    }
}

/// The same for datagrams.
public struct TransparentDatagramSocket: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// The descriptor, for an `EventQueue`.
    public var descriptor: FileDescriptor { owned.raw }

    /// Listens on a port of the kernel's choice.
    public init(isIPv6: Bool) throws(Errno) {
        owned = try OwnedDescriptor(
            status: lc_transparent_socket(LC_TRANSPARENT_DATAGRAM, isIPv6 ? 1 : 0, 0))
    }

    /// Takes charge of a socket that another process made.
    public init(adopting owned: consuming OwnedDescriptor) {
        self.owned = owned
    }

    /// The port that rules have to name.
    public borrowing func port() throws(Errno) -> UInt16 {
        UInt16(try checked(lc_bound_port(owned.raw.rawValue)))
    }

    /// Reads datagrams that have come: one at least, and no more than the room has place for.
    public borrowing func receive(into room: inout DatagramRoom) throws(Errno) -> [Datagram] {
        try room.receive(from: owned.number)
    }

    /// How many datagrams the socket had to drop until now: for want of room, or because they were
    /// damaged.
    public var dropped: UInt64 { SocketDrops.count(of: owned.number) }
}
