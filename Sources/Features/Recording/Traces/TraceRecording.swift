public import LinkModel
public import LinkUnits

/// Packets that came through a link, to become a delivery trace.
///
/// An opportunity is 1,500 bytes that have come, however many packets they were in. So the trace
/// says what the link could carry as long as something kept it busy; where nothing was sent, it
/// says the same as where nothing got through.
public struct TraceRecording: Sendable {
    private var first: Duration?
    private var milliseconds: [UInt64] = []
    /// Bytes that are no whole opportunity yet.
    private var rest: UInt64 = 0

    /// Begins with nothing.
    public init() {}

    /// What has come so far, in whole opportunities.
    public var byteCount: ByteCount {
        ByteCount(bytes: UInt64(milliseconds.count) * DeliveryTrace.opportunity.bytes)
    }

    /// Adds what came at `time`; its length from the IP header on. A time before the last one
    /// counts as that.
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

    /// Whether it has as much as fits, and takes no more.
    public var isFull: Bool { milliseconds.count >= TraceModel.mostOpportunities }

    /// The trace without what was before and after the link was busy; nil if too little came.
    ///
    /// That is what has less than a twentieth of the rate of the busiest half second, such as the
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

    /// The stretches of time that are found to be busy or not, in milliseconds.
    private static let stretch: UInt64 = 500
}

/// What TCP connections say has come of what was sent over them.
///
/// When a packet is sent tells nothing of a link behind a queue. That it came is told by the
/// acknowledgements, which therefore stand for it.
public struct AcknowledgedBytes: Sendable {
    private var last: [UInt32: UInt32] = [:]

    /// The headers of IPv4 and TCP with timestamps, beside the payload of a full packet.
    private static let overhead = (headers: UInt64(52), payload: UInt64(1448))
    /// A larger step is a connection whose number came up again.
    private static let largestStep = UInt32(1) << 30

    /// Begins with no connection.
    public init() {}

    /// What a connection has acknowledged by `number` that it had not before, headers included.
    ///
    /// - Parameter connection: the same for all packets of a connection in one direction.
    public mutating func advance(connection: UInt32, to number: UInt32) -> ByteCount {
        guard let before = last.updateValue(number, forKey: connection) else {
            return ByteCount(bytes: 0)
        }
        let step = number &- before
        guard step < Self.largestStep else {
            // An older acknowledgement that was overtaken.
            last[connection] = before
            return ByteCount(bytes: 0)
        }
        let payload = UInt64(step)
        return ByteCount(bytes: payload + payload * Self.overhead.headers / Self.overhead.payload)
    }
}
