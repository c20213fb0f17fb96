import CLinux
import Glibc
public import SystemPackage

/// A nonblocking TCP socket.
///
/// Calls that would block throw `Errno.wouldBlock`.
public struct StreamSocket: ~Copyable, Sendable {
    private let owned: OwnedDescriptor

    /// The descriptor, for an `EventQueue`.
    public var descriptor: FileDescriptor { owned.raw }

    /// Starts to connect to `endpoint`; the socket becomes writable once that has succeeded or
    /// failed.
    ///
    /// - Parameter shape: keeps the other end from running ahead.
    public init(connectingTo endpoint: Endpoint, _ shape: StreamShape) throws(Errno) {
        owned = try OwnedDescriptor(status: lc_connect_stream(endpoint.shim, shape.shim))
    }

    /// The same with the shape that the kernel gives it.
    public init(connectingTo endpoint: Endpoint) throws(Errno) {
        owned = try OwnedDescriptor(status: lc_connect_unshaped_stream(endpoint.shim))
    }

    /// The address of the other end.
    public borrowing func peer() throws(Errno) -> Endpoint {
        var endpoint = lc_endpoint()
        try checked(unsafe lc_stream_peer(owned.raw.rawValue, &endpoint))
        return Endpoint(endpoint)
    }

    /// Takes ownership of a connection that another process has made.
    public init(adopting owned: consuming OwnedDescriptor) {
        self.owned = owned
    }

    /// Throws the socket's error since the last call, if any.
    public borrowing func checkError() throws(Errno) {
        let error = try checked(lc_take_error(owned.raw.rawValue))
        if error != 0 { throw Errno(rawValue: error) }
    }

    /// Reads at most `limit` bytes into `buffer` and returns their number; 0 at the end of the
    /// stream. An urgent byte is always the first of those read.
    public borrowing func receive(into buffer: inout [UInt8], limit: Int) throws(Errno) -> Int {
        let count = unsafe recv(owned.raw.rawValue, &buffer, min(limit, buffer.count), 0)
        guard count >= 0 else { throw Errno(rawValue: errno) }
        return count
    }

    /// Reads and discards at most `limit` bytes (`MSG_TRUNC`, tcp(7)); returns how many.
    borrowing func discard(_ limit: Int) throws(Errno) -> Int {
        let count = recv(owned.raw.rawValue, nil, limit, Int32(MSG_TRUNC))
        guard count >= 0 else { throw Errno(rawValue: errno) }
        return count
    }

    /// Sends a part of `bytes` and returns how many the kernel accepted.
    ///
    /// - Parameter isUrgent: whether the last byte is urgent (RFC 9293, section 3.8.5).
    public borrowing func send(
        _ bytes: borrowing [UInt8], _ range: Range<Int>, isUrgent: Bool = false
    ) throws(Errno) -> Int {
        let descriptor = owned.raw.rawValue
        let flags = Int32(MSG_NOSIGNAL) | (isUrgent ? Int32(MSG_OOB) : 0)
        let count = unsafe bytes.withUnsafeBytes { bytes in
            let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
            return unsafe Glibc.send(descriptor, part.baseAddress, part.count, flags)
        }
        guard count >= 0 else { throw Errno(rawValue: errno) }
        return count
    }

    /// How many bytes the kernel accepted that the other end has not acknowledged.
    public borrowing func unacknowledged() -> Int {
        max(0, Int(lc_unacknowledged(owned.raw.rawValue)))
    }

    /// Ends sending (FIN).
    public borrowing func finishSending() {
        _ = shutdown(owned.raw.rawValue, Int32(SHUT_WR))
    }

    /// Makes closing the socket send a reset (RST), also when the process is killed.
    public borrowing func resetOnClose() {
        _ = lc_reset_on_close(owned.raw.rawValue, 1)
    }

    /// Makes closing the socket end the stream in order, as it does at first.
    public borrowing func finishOnClose() {
        _ = lc_reset_on_close(owned.raw.rawValue, 0)
    }
}
