public import LinkModel
public import LinkUnits

/// Converts packets that passed a link into a delivery trace.
///
/// An opportunity is 1,500 bytes received, in any number of packets. So the trace shows what the
/// link can carry while it is kept busy; times in which nothing was sent look like times in which
/// nothing got through.
public struct TraceRecording: Sendable {
    private var first: Duration?
    private var milliseconds: [UInt64] = []
    /// Bytes that do not fill an opportunity yet.
    private var rest: UInt64 = 0

    /// Nothing has arrived yet.
    public init() {}

    /// Adds bytes received at `time`, counted from the IP header on. A time before the last one
    /// counts as the last one.
    public mutating func add(_ length: ByteCount, at time: Duration) {
        guard !isFull else { return }
        rest += length.bytes
        guard rest >= DeliveryTrace.opportunity.bytes else { return }
        let start = first ?? time
        first = start
        let elapsed = max(.zero, time - start) / .milliseconds(1)
        let moment = max(UInt64(elapsed), milliseconds.last ?? 0)
        while rest >= DeliveryTrace.opportunity.bytes {
            rest -= DeliveryTrace.opportunity.bytes
            milliseconds.append(moment)
        }
    }

    /// Whether it is full and ignores further packets.
    public var isFull: Bool { milliseconds.count >= TraceModel.mostOpportunities }

    /// The trace without the idle time before and after the transfer; nil if too little arrived.
    ///
    /// Idle means less than a twentieth of the rate of the busiest half second, such as the
    /// acknowledgements of an upload.
    public var trace: DeliveryTrace? {
        guard let last = milliseconds.last else { return nil }
        var counts = [Int](repeating: 0, count: Int(last / Self.stretch) + 1)
        for moment in milliseconds { counts[Int(moment / Self.stretch)] += 1 }
        let least = (counts.max() ?? 0) / 20
        let start = UInt64(counts.firstIndex { $0 > least } ?? 0) * Self.stretch
        let end = UInt64((counts.lastIndex { $0 > least } ?? 0) + 1) * Self.stretch
        let busy = milliseconds.filter { $0 >= start && $0 < end }
        guard let first = busy.first else { return nil }
        return try? DeliveryTrace(milliseconds: busy.map { $0 - first })
    }

    /// The length of the intervals classified as busy or idle, in milliseconds.
    private static let stretch: UInt64 = 500
}

/// Derives the bytes that have reached the peer from the acknowledgements of TCP connections.
///
/// The time at which a packet is sent says nothing about a link behind a queue. Its acknowledgement
/// shows that it has arrived.
public struct AcknowledgedBytes: Sendable {
    private var last: [UInt32: UInt32] = [:]

    /// The IPv4 and TCP headers with timestamps, and the payload of a full-size packet.
    private static let overhead = (headers: UInt64(52), payload: UInt64(1448))
    /// A larger step means a new connection with the same key.
    private static let largestStep = UInt32(1) << 30

    /// The newly acknowledged bytes of a connection up to sequence number `number`, including
    /// headers.
    ///
    /// - Parameter connection: The same for all packets of a connection in one direction.
    public mutating func advance(connection: UInt32, to number: UInt32) -> ByteCount {
        guard let before = last.updateValue(number, forKey: connection) else {
            return ByteCount(bytes: 0)
        }
        let step = number &- before
        guard step < Self.largestStep else {
            // An older acknowledgement that arrived late.
            last[connection] = before
            return ByteCount(bytes: 0)
        }
        let payload = UInt64(step)
        return ByteCount(bytes: payload + payload * Self.overhead.headers / Self.overhead.payload)
    }
}
