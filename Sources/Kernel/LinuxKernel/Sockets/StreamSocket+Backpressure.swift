import CLinux
public import SystemPackage

/// Keeps the other end of a TCP connection from running ahead of the reader at this end.
public struct StreamShape: Sendable, Hashable {
    /// How many unsent bytes the socket accepts.
    public var unsentLimit: Int
    /// The largest segment in both directions; 0: what the path allows. The other end's kernel initially
    /// makes room for a number of such segments.
    public var segmentSize: Int
    /// The initial size of the receive buffer in bytes; 0: the kernel's.
    public var receiveBuffer: Int
    /// Whether the receive buffer grows as data is read.
    public var growsWithReading: Bool
    /// Whether it sends as the host's congestion control says. Some, such as BBR, pace packets by a
    /// timer, which only slows down what stays within the host.
    public var isPaced: Bool

    /// Makes a shape.
    public init(
        unsentLimit: Int, segmentSize: Int, receiveBuffer: Int, growsWithReading: Bool,
        isPaced: Bool = true
    ) {
        self.unsentLimit = unsentLimit
        self.segmentSize = segmentSize
        self.receiveBuffer = receiveBuffer
        self.growsWithReading = growsWithReading
        self.isPaced = isPaced
    }

    var shim: lc_stream_shape {
        lc_stream_shape(
            unsent_limit: UInt32(clamping: unsentLimit),
            segment_size: UInt32(clamping: segmentSize),
            receive_buffer: UInt32(clamping: receiveBuffer), grows: growsWithReading ? 1 : 0,
            is_paced: isPaced ? 1 : 0)
    }
}

/// What a TCP socket is ready for.
public struct StreamReadiness: Sendable, Hashable {
    /// Whether there is data, the end of the stream, or an error.
    public let isReadable: Bool
    /// Whether it accepts data, or has an error to report.
    public let isWritable: Bool
    /// Whether an urgent byte has arrived and was not read.
    public let isUrgent: Bool
    /// Whether the other end sends no more, though there may be something left to read.
    public let hasEnded: Bool

    fileprivate init(_ bits: UInt8) {
        let bits = Int(bits)
        isReadable = bits & LC_READABLE != 0
        isWritable = bits & LC_WRITABLE != 0
        isUrgent = bits & LC_URGENT != 0
        hasEnded = bits & LC_ENDED != 0
    }
}

extension StreamSocket {
    /// What two sockets are ready for now. An `EventQueue` reports later changes.
    public static func readiness(
        of first: borrowing StreamSocket, and second: borrowing StreamSocket
    ) throws(Errno) -> (StreamReadiness, StreamReadiness) {
        var bits: [UInt8] = [0, 0]
        try checked(
            unsafe lc_stream_readiness(
                first.descriptor.rawValue, second.descriptor.rawValue, &bits))
        return (StreamReadiness(bits[0]), StreamReadiness(bits[1]))
    }

    /// How many bytes are in flight: sent, but not acknowledged.
    public borrowing func bytesInFlight() throws(Errno) -> Int {
        Int(try checked(lc_in_flight(descriptor.rawValue)))
    }

    /// Limits how many unsent bytes the socket accepts.
    public borrowing func limitUnsent(to count: Int) throws(Errno) {
        try checked(lc_limit_unsent(descriptor.rawValue, UInt32(clamping: count)))
    }

    /// Whether packets to `endpoint` stay within the host.
    public static func staysWithinHost(_ endpoint: Endpoint) -> Bool {
        lc_is_within_host(endpoint.shim) == 1
    }

    /// Fixes the receive window: how many bytes the other end may send ahead of the reader.
    public borrowing func fixWindow(at size: Int) throws(Errno) {
        try checked(lc_fix_window(descriptor.rawValue, UInt32(clamping: size)))
    }

    /// Repeats what was lost every second or sooner, as far as the kernel can, in place of after
    /// twice the time of the attempt before. For connections over which little is sent.
    ///
    /// - Parameter patience: Ends the connection (`Errno.timedOut`) after that time without an answer, in
    ///   whole seconds.
    public borrowing func repeatSoon(patience: Duration) {
        lc_repeat_soon(descriptor.rawValue, Int32(clamping: patience.components.seconds))
    }

    /// Asks the other end every `interval` whether it is still there while it is silent, and ends the
    /// connection after `patience` without an answer (`Errno.timedOut`). Both count in whole seconds.
    ///
    /// An end that does not know the connection any more resets it.
    public borrowing func watchPeer(every interval: Duration, patience: Duration) {
        lc_watch_peer(
            descriptor.rawValue, Int32(clamping: interval.components.seconds),
            Int32(clamping: patience.components.seconds))
    }

    /// Whether the next byte is the urgent one.
    public borrowing func isAtUrgentByte() -> Bool {
        lc_is_at_urgent_byte(descriptor.rawValue) == 1
    }
}
