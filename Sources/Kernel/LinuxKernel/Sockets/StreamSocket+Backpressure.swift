import CLinux
public import SystemPackage

/// What keeps the other end of a TCP connection from running ahead of whoever reads at this one.
public struct StreamShape: Sendable, Hashable {
    /// How many bytes the socket takes that were never sent yet.
    public var unsentLimit: Int
    /// The largest segment in both directions, of which the other end's kernel makes room for a
    /// number before anything is sent.
    public var segmentSize: Int
    /// The size in bytes with which the receive buffer begins.
    public var receiveBuffer: Int
    /// Whether the receive buffer grows with what is read.
    public var growsWithReading: Bool

    /// Makes a shape.
    public init(
        unsentLimit: Int, segmentSize: Int, receiveBuffer: Int, growsWithReading: Bool
    ) {
        self.unsentLimit = unsentLimit
        self.segmentSize = segmentSize
        self.receiveBuffer = receiveBuffer
        self.growsWithReading = growsWithReading
    }

    var shim: lc_stream_shape {
        lc_stream_shape(
            unsent_limit: UInt32(clamping: unsentLimit),
            segment_size: UInt32(clamping: segmentSize),
            receive_buffer: UInt32(clamping: receiveBuffer), grows: growsWithReading ? 1 : 0)
    }
}

/// What a TCP socket is ready for.
public struct StreamReadiness: Sendable, Hashable {
    /// Whether there is data, the end of the stream, or an error.
    public let isReadable: Bool
    /// Whether it takes data, or has an error to tell.
    public let isWritable: Bool
    /// Whether an urgent byte has come and was not read.
    public let isUrgent: Bool

    fileprivate init(_ bits: UInt8) {
        let bits = Int(bits)
        isReadable = bits & LC_READABLE != 0
        isWritable = bits & LC_WRITABLE != 0
        isUrgent = bits & LC_URGENT != 0
    }
}

extension StreamSocket {
    /// What two sockets are ready for now. An `EventQueue` tells when there is more.
    public static func readiness(
        of first: borrowing StreamSocket, and second: borrowing StreamSocket
    ) throws(Errno) -> (StreamReadiness, StreamReadiness) {
        var bits: [UInt8] = [0, 0]
        try checked(
            unsafe lc_stream_readiness(
                first.descriptor.rawValue, second.descriptor.rawValue, &bits))
        return (StreamReadiness(bits[0]), StreamReadiness(bits[1]))
    }

    /// How many bytes are on their way: sent, and not acknowledged.
    public borrowing func bytesInFlight() throws(Errno) -> Int {
        Int(try checked(lc_in_flight(descriptor.rawValue)))
    }

    /// Sets how many bytes the socket takes that were never sent yet.
    public borrowing func limitUnsent(to count: Int) throws(Errno) {
        try checked(lc_limit_unsent(descriptor.rawValue, UInt32(clamping: count)))
    }

    /// Whether what is sent to `endpoint` stays within the host.
    public static func staysWithinHost(_ endpoint: Endpoint) -> Bool {
        lc_is_within_host(endpoint.shim) == 1
    }

    /// Sets how many bytes the other end may send ahead of what is read, which no longer grows by
    /// itself.
    public borrowing func fixWindow(at size: Int) throws(Errno) {
        try checked(lc_fix_window(descriptor.rawValue, UInt32(clamping: size)))
    }

    /// Whether the next byte is the urgent one.
    public borrowing func isAtUrgentByte() -> Bool {
        lc_is_at_urgent_byte(descriptor.rawValue) == 1
    }
}
