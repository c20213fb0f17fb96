import CLinux
public import SystemPackage

/// A UDP socket that sends probes to one peer and takes those of the peer, with their times.
///
/// Before it has a peer, it takes datagrams of anybody and answers them.
public struct ProbeSocket: ~Copyable {
    private var receiver: ProbeReceiver
    private let isIPv6: Bool
    private var room = DatagramRoom()

    private static let subject = "a UDP socket"

    /// Opens a socket on `port` of all addresses of a family; 0: any free port.
    public init(port: UInt16, isIPv6: Bool) throws(KernelError) {
        let receiver = try ProbeReceiver(port: port, isIPv6: isIPv6)
        let number = receiver.socket.descriptor.rawValue
        try checked(
            lc_probe_ignore_path_mtu(number, isIPv6 ? 1 : 0), .create, Self.subject)
        self.receiver = receiver
        self.isIPv6 = isIPv6
    }

    /// What one waits for; it stays the socket's.
    public var descriptor: FileDescriptor { receiver.descriptor }

    /// How many datagrams the buffer of the socket had no room for.
    public var dropped: UInt64 { receiver.dropped }

    /// Makes `peer` the only one that it sends to and takes from.
    public func connect(to peer: Endpoint) throws(KernelError) {
        try checked(
            lc_probe_connect(descriptor.rawValue, peer.shim), .open, "the way to \(peer.address)")
    }

    /// What came of sending a probe.
    public enum Sending: Sendable {
        case sent
        /// The kernel has no room at present, or reports what an earlier datagram met with.
        case notNow
        /// The interface takes no packet of this size.
        case tooLarge
    }

    /// Sends a datagram to the peer.
    public func send(_ payload: borrowing [UInt8]) throws(KernelError) -> Sending {
        do {
            try receiver.socket.send(payload)
            return .sent
        } catch {
            let passing: [Errno] = [
                .wouldBlock, .noBufferSpace, .interrupted, .connectionRefused, .noRouteToHost,
                .hostIsDown, .networkUnreachable,
            ]
            if error == .messageTooLong { return .tooLarge }
            guard passing.contains(error) else {
                throw KernelError(.write, subject: Self.subject, errno: error)
            }
            return .notNow
        }
    }

    /// Answers a datagram of somebody who is not the peer yet.
    public func answer(_ payload: [UInt8], to sender: Endpoint) {
        try? receiver.socket.send(payload, to: sender)
    }

    /// Takes what has arrived from anybody, without waiting.
    public mutating func receiveFromAnybody() -> [Datagram] {
        (try? receiver.socket.receive(into: &room)) ?? []
    }

    /// Takes what has arrived from the peer, some dozens of datagrams at most, without waiting.
    ///
    /// - Parameter body: is called with the bytes of each, and when the kernel took it from the
    ///   interface, by `KernelClock.monotonic`.
    /// - Returns: how many there were.
    public mutating func receive(
        _ body: (Span<UInt8>, Duration) -> Void
    ) throws(KernelError) -> Int {
        do throws(KernelError) {
            return try receiver.receive(body)
        } catch {
            // What the ICMP answer to an earlier probe says is no reason to end.
            let passing: [Errno] = [
                .connectionRefused, .noRouteToHost, .messageTooLong, .hostIsDown,
                .networkUnreachable,
            ]
            guard passing.contains(error.errno) else { throw error }
            return 0
        }
    }

    /// The MTU that the kernel knows of the path to the peer, as ICMP told it; nil if unknown.
    public var pathMTU: Int? {
        let mtu = lc_probe_path_mtu(descriptor.rawValue, isIPv6 ? 1 : 0)
        return mtu > 0 ? Int(mtu) : nil
    }
}
