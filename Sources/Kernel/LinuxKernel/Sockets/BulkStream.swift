import CLinux
import Glibc
import SystemPackage

/// A TCP port that accepts bulk transfers.
public struct BulkListener: ~Copyable {
    private let descriptor: Int32

    /// Listens on `port` of all addresses.
    public init(_ family: InternetFamily, port: UInt16) throws(KernelError) {
        let descriptor = lc_stream_listen(family.rawValue, port)
        try BulkStream.check(Int64(descriptor), .open, "TCP port \(port)")
        self.descriptor = descriptor
    }

    /// The next connection that arrives before `deadline` by `KernelClock.monotonic`.
    public func accept(until deadline: Duration) throws(KernelError) -> BulkStream {
        try BulkStream(
            adopting: lc_stream_accept(descriptor, deadline.cNanoseconds), "a connection")
    }

    /// The descriptor number, for `ProbeSocket.wait`.
    public var number: Int32 { descriptor }

    deinit { close(descriptor) }
}

/// A TCP connection that sends zeros in one direction as fast as it can.
public struct BulkStream: ~Copyable {
    private let descriptor: Int32

    /// Connects to `port` of the numeric `address`, before `deadline` by `KernelClock.monotonic`.
    public init(
        _ family: InternetFamily, to address: String, port: UInt16, until deadline: Duration
    ) throws(KernelError) {
        let status = unsafe lc_stream_connect(
            family.rawValue, address, port, deadline.cNanoseconds)
        try self.init(adopting: status, "a connection to \(address)")
    }

    fileprivate init(adopting descriptor: Int32, _ subject: String) throws(KernelError) {
        try Self.check(Int64(descriptor), .open, subject)
        self.descriptor = descriptor
    }

    /// The kernel's last RTT measurement, which is independent of late wake-ups; nil if there is
    /// none.
    public var roundTrip: Duration? {
        let microseconds = lc_stream_round_trip(descriptor)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Writes what the connection takes, waiting until `deadline` if necessary.
    ///
    /// - Returns: the number of bytes written.
    public func write(until deadline: Duration) throws(KernelError) -> Int {
        let count = lc_stream_write(descriptor, deadline.cNanoseconds)
        try Self.check(count, .write, "the connection")
        return Int(count)
    }

    /// Reads and discards the available bytes, waiting until `deadline` if necessary.
    ///
    /// - Returns: the number of bytes read; 0 at the end of the stream.
    public func read(until deadline: Duration) throws(KernelError) -> Int {
        let count = lc_stream_read(descriptor, deadline.cNanoseconds)
        try Self.check(count, .read, "the connection")
        return Int(count)
    }

    fileprivate static func check(
        _ status: Int64, _ operation: KernelError.Operation, _ subject: String
    ) throws(KernelError) {
        guard status < 0 else { return }
        throw KernelError(operation, subject: subject, errno: Errno(rawValue: Int32(-status)))
    }

    deinit { close(descriptor) }
}
