import CLinux
import Glibc
import SystemPackage

/// A TCP port that accepts bulk transfers.
public struct BulkListener: ~Copyable {
    private let owned: OwnedDescriptor

    /// Listens on `port` of all IPv4 addresses.
    public init(port: UInt16) throws(KernelError) {
        owned = try OwnedDescriptor(lc_stream_listen(port), opening: "TCP port \(port)")
    }

    /// The next connection that arrives before `deadline` by `KernelClock.monotonic`.
    public func accept(until deadline: Duration) throws(KernelError) -> BulkStream {
        do {
            try Readiness.expect(POLLIN, of: owned.raw, until: deadline)
            let stream = try OwnedDescriptor(status: lc_stream_accept(owned.number))
            return BulkStream(StreamSocket(adopting: stream))
        } catch {
            throw KernelError(.open, subject: "a connection", errno: error)
        }
    }
}

/// A TCP connection that sends zeros in one direction as fast as it can.
public struct BulkStream: ~Copyable {
    private let stream: StreamSocket

    private static let subject = "the connection"
    private static let zeros = [UInt8](repeating: 0, count: 65_536)
    /// The most that is read at once.
    private static let mostRead = 262_144

    /// Connects to `endpoint`, before `deadline` by `KernelClock.monotonic`.
    public init(to endpoint: Endpoint, until deadline: Duration) throws(KernelError) {
        do {
            self.init(try Self.connect(to: endpoint, until: deadline))
        } catch {
            throw KernelError(
                .open, subject: "a connection to \(endpoint.address)", errno: error)
        }
    }

    private static func connect(
        to endpoint: Endpoint, until deadline: Duration
    ) throws(Errno) -> StreamSocket {
        let stream = try StreamSocket(connectingTo: endpoint)
        try Readiness.expect(POLLOUT, of: stream.descriptor, until: deadline)
        try stream.checkError()
        return stream
    }

    fileprivate init(_ stream: consuming StreamSocket) {
        // Closing forgets what was not sent yet: it would go on filling the link.
        stream.resetOnClose()
        self.stream = stream
    }

    /// The kernel's last RTT measurement, which is independent of late wake-ups; nil if there is
    /// none.
    public var roundTrip: Duration? {
        let microseconds = lc_stream_round_trip(stream.descriptor.rawValue)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Writes what the connection takes, waiting until `deadline` if necessary.
    ///
    /// - Returns: the number of bytes written.
    public func write(until deadline: Duration) throws(KernelError) -> Int {
        do {
            try Readiness.expect(POLLOUT, of: stream.descriptor, until: deadline)
            return try stream.send(Self.zeros, 0..<Self.zeros.count)
        } catch {
            guard error == .wouldBlock else {
                throw KernelError(.write, subject: Self.subject, errno: error)
            }
            return 0
        }
    }

    /// Reads and discards the available bytes, waiting until `deadline` if necessary.
    ///
    /// - Returns: the number of bytes read; 0 at the end of the stream.
    public func read(until deadline: Duration) throws(KernelError) -> Int {
        do {
            try Readiness.expect(POLLIN, of: stream.descriptor, until: deadline)
            return try stream.discard(Self.mostRead)
        } catch {
            throw KernelError(.read, subject: Self.subject, errno: error)
        }
    }
}
