import CLinux
public import SystemPackage

/// A UDP socket that sends to one peer without a checksum, so that damaged datagrams arrive.
public struct ProbeSender: ~Copyable {
    private let socket: DatagramSocket

    private static let subject = "a UDP socket"

    /// Opens a socket that sends to `peer`.
    public init(to peer: Endpoint) throws(KernelError) {
        let owned = try OwnedDescriptor(
            lc_probe_open(peer.address.isIPv6 ? 1 : 0, 0), opening: Self.subject)
        try checked(lc_probe_connect(owned.number, peer.shim), .open, "the way to \(peer.address)")
        socket = DatagramSocket(adopting: owned)
    }

    /// Sends a datagram.
    ///
    /// - Returns: whether it was sent; the kernel may have no room at present.
    public func send(_ payload: borrowing [UInt8]) throws(KernelError) -> Bool {
        do {
            try socket.send(payload)
            return true
        } catch {
            // The last two are what an earlier datagram met with; this one was not sent either.
            let passing: [Errno] = [
                .wouldBlock, .noBufferSpace, .interrupted, .connectionRefused, .noRouteToHost,
            ]
            guard passing.contains(error) else {
                throw KernelError(.write, subject: Self.subject, errno: error)
            }
            return false
        }
    }
}

/// A UDP socket that takes datagrams, damaged ones too, with the time at which they came.
public struct ProbeReceiver: ~Copyable {
    let socket: DatagramSocket
    private let subject: String
    private let memory: FrameMemory
    private var batch: ReceiveBatch

    /// Longer datagrams are cut off.
    private static let longest = 9000

    /// Opens a socket on `port` of all addresses.
    public init(port: UInt16, isIPv6: Bool) throws(KernelError) {
        let subject = "UDP port \(port)"
        let owned = try OwnedDescriptor(lc_probe_open(isIPv6 ? 1 : 0, port), opening: subject)
        let memory = try FrameMemory(reserving: ReceiveBatch.capacity * Self.longest)
        var batch = ReceiveBatch()
        for index in 0..<ReceiveBatch.capacity {
            let end = (index + 1) * Self.longest
            batch.place(index, in: memory, head: end - Self.longest..<end, rest: end..<end)
        }
        self.subject = subject
        self.memory = memory
        self.batch = batch
        socket = DatagramSocket(adopting: owned)
    }

    /// What one waits for; it stays the socket's.
    public var descriptor: FileDescriptor { socket.descriptor }

    /// How many datagrams the buffer of the socket had no room for.
    public var dropped: UInt64 { socket.dropped }

    /// Takes what has arrived, some dozens of datagrams at most, and does not wait.
    ///
    /// - Parameter body: is called with the bytes of each, and when the kernel took it from the
    ///   interface, by `KernelClock.monotonic`.
    /// - Returns: how many there were.
    public mutating func receive(
        _ body: (Span<UInt8>, Duration) -> Void
    ) throws(KernelError) -> Int {
        let count: Int
        do {
            count = try batch.receive(from: socket.descriptor.rawValue)
        } catch {
            throw KernelError(.read, subject: subject, errno: error)
        }
        let now = KernelClock.monotonic
        for index in 0..<count {
            let (start, frame) = (index * Self.longest, batch[index])
            memory.withBytes(in: start..<start + frame.count) { body($0, frame.arrival ?? now) }
        }
        return count
    }
}
