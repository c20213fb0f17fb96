import CLinux
import Glibc
public import SystemPackage

/// A nonblocking UDP socket, or one for ICMP echo.
///
/// Whatever would have to wait throws `Errno.wouldBlock`.
public struct DatagramSocket: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// The descriptor, for an `EventQueue`.
    public var descriptor: FileDescriptor { owned.raw }

    /// Makes a UDP socket with a port of its own, which sends to anybody and hears anybody.
    public init(isIPv6: Bool) throws(Errno) {
        owned = try OwnedDescriptor(status: lc_datagram_socket(isIPv6 ? 1 : 0))
    }

    /// Makes a UDP socket that talks to one other end.
    public init(connectedTo endpoint: Endpoint) throws(Errno) {
        owned = try OwnedDescriptor(status: lc_connect_datagram(endpoint.shim))
    }

    /// Makes a ping socket, for those whom `net.ipv4.ping_group_range` allows it.
    ///
    /// It takes and gives ICMP messages; the kernel sets identifier and checksum.
    public init(echoTo address: IPAddress) throws(Errno) {
        owned = try OwnedDescriptor(
            status: lc_connect_echo(Endpoint(address, port: 0).shim))
    }

    /// Reads datagrams that have come: one at least, and no more than the room has place for.
    public borrowing func receive(into room: inout DatagramRoom) throws(Errno) -> [Datagram] {
        try room.receive(from: owned.number)
    }

    /// Sends a datagram to the other end.
    public borrowing func send(_ bytes: borrowing [UInt8]) throws(Errno) {
        let descriptor = owned.number
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(
                descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        guard count >= 0 else { throw Errno(rawValue: errno) }
    }

    /// Sends a datagram to an end, for a socket without one of its own.
    public borrowing func send(_ bytes: [UInt8], to endpoint: Endpoint) throws(Errno) {
        try checked(unsafe lc_send_datagram(owned.number, bytes, bytes.count, endpoint.shim))
    }

    /// What became of a datagram.
    public struct Failure: Sendable {
        /// Why it did not arrive.
        public let reason: Errno
        /// Where it was sent to.
        public let destination: Endpoint
        /// As much of it as was quoted.
        public let payload: [UInt8]
    }

    /// The next datagram that is known not to have arrived, of a socket that sends to anybody; nil
    /// if there is none.
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

    /// Nobody quotes more than the smallest largest packet of IPv6 (RFC 4443, section 2.4).
    private static let quoteLimit = 1280

    /// How many datagrams the socket had to drop until now, above all for want of room.
    public var dropped: UInt64 { SocketDrops.count(of: owned.number) }
}

/// A datagram that has come.
public struct Datagram: Sendable {
    /// What it says.
    public let payload: [UInt8]
    /// Who sent it.
    public let sender: Endpoint
    /// Where to; known of transparent sockets only.
    public let destination: Endpoint
}

/// Room for datagrams that are read at once. Equivalent to `recvmmsg(2)`.
public struct DatagramRoom: Sendable {
    /// How many there is place for.
    public static let capacity = 16
    private static let slot = 65_536

    private var bytes = [UInt8](repeating: 0, count: capacity * slot)
    private var datagrams = [lc_datagram](repeating: lc_datagram(), count: capacity)

    /// Makes room for datagrams of any size.
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

/// What the kernel counts of every socket.
enum SocketDrops {
    static func count(of descriptor: Int32) -> UInt64 { UInt64(max(0, lc_dropped(descriptor))) }
}
