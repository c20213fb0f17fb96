import CLinux
import Glibc
public import SystemPackage

/// A nonblocking UDP socket, or one for ICMP echo.
///
/// Calls that would block throw `Errno.wouldBlock`.
public struct DatagramSocket: ~Copyable, Sendable {
    private let owned: OwnedDescriptor
    private var rawEcho: RawEcho?

    /// The descriptor, for an `EventQueue`.
    public var descriptor: FileDescriptor { owned.raw }

    /// Makes an unconnected UDP socket with its own port.
    public init(isIPv6: Bool) throws(Errno) {
        owned = try OwnedDescriptor(status: lc_datagram_socket(isIPv6 ? 1 : 0))
    }

    /// Makes a UDP socket connected to one peer.
    public init(connectedTo endpoint: Endpoint) throws(Errno) {
        owned = try OwnedDescriptor(status: lc_connect_datagram(endpoint.shim))
    }

    /// Makes a socket for echo requests to one host: a ping socket, or a raw one where
    /// `net.ipv4.ping_group_range` forbids those. Throws `Errno.notPermitted` if the process may
    /// make neither.
    public init(echoTo address: IPAddress) throws(Errno) {
        var isRaw: Int32 = 0
        owned = try OwnedDescriptor(
            status: unsafe lc_connect_echo(Endpoint(address, port: 0).shim, &isRaw))
        if isRaw != 0 { rawEcho = RawEcho(isIPv6: address.isIPv6) }
    }

    /// Takes ownership of a socket that another process has opened.
    public init(adopting owned: consuming OwnedDescriptor) {
        self.owned = owned
    }

    /// Reads the available datagrams: at least one, and at most as many as fit into `room`.
    public borrowing func receive(into room: inout DatagramRoom) throws(Errno) -> [Datagram] {
        try room.receive(from: owned.number)
    }

    /// Sends a datagram to the connected peer.
    public borrowing func send(_ bytes: borrowing [UInt8]) throws(Errno) {
        let descriptor = owned.number
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(
                descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        guard count >= 0 else { throw Errno(rawValue: errno) }
    }

    /// Sends an echo request, an ICMP message, whose identifier and checksum are replaced.
    public borrowing func send(echo message: [UInt8]) throws(Errno) {
        try send(rawEcho?.request(message) ?? message)
    }

    /// The ICMP message of a received echo reply; nil if it is for another program.
    public borrowing func echoReply(in datagram: Datagram) -> ArraySlice<UInt8>? {
        guard let rawEcho else { return datagram.payload[...] }
        return rawEcho.reply(in: datagram.payload[...])
    }

    /// Sends a datagram to an endpoint, through an unconnected socket.
    public borrowing func send(_ bytes: [UInt8], to endpoint: Endpoint) throws(Errno) {
        try checked(unsafe lc_send_datagram(owned.number, bytes, bytes.count, endpoint.shim))
    }

    /// Sends several datagrams to an endpoint at the cost of one, through an unconnected socket. All
    /// are sent or none.
    ///
    /// - Parameters:
    ///   - bytes: the contents of the datagrams one after the other, at most 65,000 bytes.
    ///   - size: the length of each, but for the last, which may be shorter. At most 64 make up
    ///     the bytes.
    public borrowing func send(
        _ bytes: [UInt8], inDatagramsOf size: UInt16, to endpoint: Endpoint
    ) throws(Errno) {
        try checked(
            unsafe lc_send_datagrams(owned.number, bytes, bytes.count, size, endpoint.shim))
    }

    /// Sends a datagram from one of this host's addresses, of the same family as the endpoint's.
    public borrowing func send(
        _ bytes: [UInt8], from source: IPAddress, to endpoint: Endpoint
    ) throws(Errno) {
        try checked(
            unsafe lc_send_datagram_from(
                owned.number, bytes, bytes.count, Endpoint(source, port: 0).shim, endpoint.shim))
    }

    /// A datagram that did not arrive.
    public struct Failure: Sendable {
        /// Why it did not arrive.
        public let reason: Errno
        /// Its destination.
        public let destination: Endpoint
        /// The part of it that was quoted.
        public let payload: [UInt8]
    }

    /// The next datagram of an unconnected socket that is known not to have arrived; nil if there
    /// is none.
    public borrowing func nextFailure() -> Failure? {
        var payload = [UInt8](repeating: 0, count: Self.quoteLimit)
        var (destination, length) = (lc_endpoint(), UInt32(0))
        let reason = unsafe lc_take_datagram_error(
            owned.number, &payload, payload.count, &destination, &length)
        guard reason > 0 else { return nil }
        return Failure(
            reason: Errno(rawValue: reason), destination: Endpoint(destination),
            payload: Array(payload.prefix(Int(length))))
    }

    /// No ICMP error exceeds the minimum MTU of IPv6 (RFC 4443, section 2.4).
    private static let quoteLimit = 1280

    /// How many datagrams the socket has dropped so far, mostly for lack of buffer space.
    public var dropped: UInt64 { SocketDrops.count(of: owned.number) }
}

/// A received datagram.
public struct Datagram: Sendable {
    /// Its content.
    public let payload: [UInt8]
    /// Its source.
    public let sender: Endpoint
    /// Its original destination; known for transparent sockets and those made for an address only.
    public let destination: Endpoint
}

/// Buffers for reading several datagrams at once. Equivalent to `recvmmsg(2)`.
public struct DatagramRoom: Sendable {
    /// The number of datagrams that fit.
    public static let capacity = 16
    private static let slot = 65_536

    private var bytes = [UInt8](repeating: 0, count: capacity * slot)
    private var datagrams = [lc_datagram](repeating: lc_datagram(), count: capacity)

    /// Allocates buffers for datagrams of any size.
    public init() {}

    mutating func receive(from descriptor: Int32) throws(Errno) -> [Datagram] {
        let count = try checked(
            unsafe lc_receive_datagrams(
                descriptor, &bytes, Self.slot, &datagrams, Int32(Self.capacity)))
        return datagrams.prefix(Int(count)).enumerated().map { index, datagram in
            let start = index * Self.slot
            return Datagram(
                payload: Array(bytes[start..<start + Int(datagram.length)]),
                sender: Endpoint(datagram.from), destination: Endpoint(datagram.to))
        }
    }
}

/// The drop counter that the kernel keeps for every socket.
enum SocketDrops {
    static func count(of descriptor: Int32) -> UInt64 { UInt64(max(0, lc_dropped(descriptor))) }
}
