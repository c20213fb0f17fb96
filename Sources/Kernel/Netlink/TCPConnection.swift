import CNetlink
public import LinuxKernel
import SystemPackage

/// A TCP connection of this host, as the kernel reports it.
struct TCPConnection {
    private let description: inet_diag_msg
    /// The address of this end.
    var localAddress: IPAddress {
        Endpoint(
            description.id.idiag_src, port: description.id.idiag_sport,
            isIPv6: description.idiag_family == UInt8(AF_INET6)
        ).address
    }
    /// The index of the interface that it is bound to; 0 for none.
    var interface: UInt32 { description.id.idiag_if }

    /// Reads a reply about a socket.
    private init?(_ message: NetlinkMessage) {
        guard let (fixed, _) = message.parse(inet_diag_msg.self) else { return nil }
        description = fixed
    }

    /// All connections that are being opened, open, or being closed; for a session of the family
    /// `sockets`.
    static func all(_ session: NetlinkSession) throws(NetlinkError) -> [TCPConnection] {
        // Without the states that have no peer: TIME_WAIT (6), CLOSE (7), LISTEN (10).
        let states = [1, 2, 3, 4, 5, 8, 9, 11].reduce(0 as UInt32) { $0 | 1 << $1 }
        return try session.tcpSockets(inStates: states).compactMap { TCPConnection($0) }
    }

    /// Aborts the connection: its owner gets `ECONNABORTED`. Equivalent to `ss --kill`.
    var end: NetlinkMessage {
        var request = inet_diag_req_v2()
        request.sdiag_family = description.idiag_family
        request.sdiag_protocol = UInt8(IPPROTO_TCP)
        request.id = description.id
        return NetlinkMessage(Int(SOCK_DESTROY), request)
    }
}

extension NetlinkSession {
    /// Aborts the TCP connections that use `addresses` or are bound to the interface of this index,
    /// for a session of the family `sockets`; returns their number. Equivalent to `ss --kill --tcp
    /// src ADDRESS`.
    ///
    /// Requires `CAP_NET_ADMIN`. Throws `Errno.notSupportedOnSocket` (`EOPNOTSUPP`) for a kernel
    /// without `CONFIG_INET_DIAG_DESTROY`, if there is a connection to abort.
    @discardableResult
    public func endConnections(
        from addresses: [IPAddress], interface: Int32
    ) throws(NetlinkError) -> Int {
        let doomed = try TCPConnection.all(self).filter {
            addresses.contains($0.localAddress) || $0.interface == UInt32(interface)
        }
        let failures = try execute(doomed.map(\.end))
        // Some connections end by themselves meanwhile.
        if let failure = failures.first(where: { $0.errno != .noSuchFileOrDirectory }) {
            throw NetlinkError(
                attempt: "end a TCP connection", errno: failure.errno,
                kernelText: failure.kernelText)
        }
        return doomed.count - failures.count
    }
}

extension Endpoint {
    /// Reads one end of a socket from `struct inet_diag_sockid`.
    init(_ words: (UInt32, UInt32, UInt32, UInt32), port: UInt16, isIPv6: Bool) {
        let bytes = [words.0, words.1, words.2, words.3].flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: UInt32(bigEndian: word) >> (24 - 8 * $0)) }
        }
        // IPv6 sockets may use IPv4: ::ffff:192.0.2.1 (RFC 4291, section 2.5.5.2).
        let isMapped = isIPv6 && bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
        let relevant = isMapped ? bytes.suffix(4) : isIPv6 ? bytes[...] : bytes.prefix(4)
        self.init(
            IPAddress(bytes: relevant) ?? IPAddress(ipv4: 0), port: UInt16(bigEndian: port))
    }
}
