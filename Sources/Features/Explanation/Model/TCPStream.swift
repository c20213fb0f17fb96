import DequeModule

/// One direction of a TCP connection, with what both ends know of it.
///
/// Positions count bytes as sequence numbers do, but never wrap.
struct TCPStream {
    /// Bytes that were sent and not yet acknowledged.
    struct Segment {
        var range: Range<Int>
        /// When it was first sent.
        var firstSent: Duration
        /// Its last transmission, and what was waited for until then.
        var last: Progress
        var drop: PacketFate.Drop?
        var isRepeated = false
    }

    /// The arrival of an acknowledgement, or of a larger window, at the sender.
    struct Acknowledgement {
        var time: Duration
        var isSYN: Bool
        var sent: Duration
        var fate: PacketFate
        /// Whether it came without bytes.
        var isPure: Bool
        /// The way of the packet that it acknowledges, and of itself until it was sent.
        var echo: Transit.Echo?
        /// Bytes under way before it and after it.
        var outstandingBefore: Int
        var outstanding: Int
        /// How far the receiver's window let the sender go before.
        var limitBefore: Int?
    }

    // MARK: The sender

    private(set) var isOpen = false
    /// The position behind the last byte sent.
    private(set) var next = 0
    /// The position up to which everything was acknowledged.
    private(set) var acknowledged = 0
    var segments = Deque<Segment>()
    var lastSent: Progress?
    var lastAcknowledgement: Acknowledgement?
    /// How far the receiver's window lets the sender go.
    var limit: Int?
    /// Until where retransmissions belong to a timeout.
    var timeoutEnd: Int?
    var maximumSegment = 1448
    /// The scale of the windows that this sender announces for the other direction.
    var windowScale: UInt8?
    /// The beginning of the sent bytes, until it is known what they are.
    var head: [UInt8] = []

    /// Whether its sender has closed it.
    var isClosed = false

    // MARK: The receiver

    /// Whether the end of the bytes has arrived.
    var isFinished = false

    /// The position up to which all has arrived.
    private(set) var received = 0
    private var pending = Deque<Range<Int>>()
    /// The last arrival of bytes.
    var lastArrival: Arrival?
    /// The end of the last transmission by the bottleneck.
    var lastTransmission: Progress?

    /// More bytes under way are not tracked; a window has at most a gigabyte.
    private static let mostSegments = 1 << 16
    /// More gaps at once are not tracked.
    private static let mostGaps = 1 << 16

    var outstanding: Int { next - acknowledged }
    /// The most bytes that were under way at once.
    private(set) var mostOutstanding = 0

    /// Whether all that was sent has arrived.
    var hasArrived: Bool { received >= next }

    /// The position of a sequence number, close to the last.
    func position(_ sequence: UInt32) -> Int {
        next + Int(Int32(bitPattern: sequence &- UInt32(truncatingIfNeeded: next)))
    }

    /// Begins with the first sequence number that was seen.
    mutating func open(at sequence: UInt32) {
        guard !isOpen else { return }
        isOpen = true
        next = Int(sequence)
        (acknowledged, received) = (next, next)
    }

    /// Notes that bytes were sent.
    mutating func send(_ range: Range<Int>, _ progress: Progress, drop: PacketFate.Drop?) {
        next = max(next, range.upperBound)
        mostOutstanding = max(mostOutstanding, outstanding)
        lastSent = progress
        // Where no acknowledgements are captured, nothing else ends them.
        if segments.count >= Self.mostSegments { segments.removeFirst() }
        segments.append(
            Segment(range: range, firstSent: progress.time, last: progress, drop: drop))
    }

    /// The index of the segment in which a retransmission begins.
    func segment(at position: Int) -> Int? {
        // They are in the order of their positions.
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].range.upperBound <= position {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < segments.count && segments[low].range.contains(position) ? low : nil
    }

    /// Takes an acknowledgement that arrived at the sender; returns a sample of the round-trip time.
    mutating func acknowledge(
        _ position: Int, window: Int, _ transit: Transit, at time: Duration
    ) -> Duration? {
        guard isOpen, position <= next else { return nil }
        let limit = position + window
        let isNews = position > acknowledged || limit > self.limit ?? .min
        let before = (outstanding, self.limit)
        var sample: Duration?
        if position > acknowledged {
            acknowledged = position
            while let first = segments.first, first.range.upperBound <= position {
                if !first.isRepeated { sample = time - first.firstSent }
                segments.removeFirst()
            }
            if let end = timeoutEnd, position >= end { timeoutEnd = nil }
        }
        if isNews {
            self.limit = max(limit, self.limit ?? .min)
            lastAcknowledgement = Acknowledgement(
                time: time, isSYN: transit.isSYN, sent: transit.packet.sent,
                fate: transit.packet.fate, isPure: transit.packet.payloadLength == 0,
                echo: transit.echo, outstandingBefore: before.0,
                outstanding: outstanding, limitBefore: before.1)
        }
        return sample
    }

    /// Keeps bytes behind a gap, joined to those that they touch.
    private mutating func keep(_ range: Range<Int>) {
        // They are in order; most packets come last.
        var index = pending.count
        while index > 0, pending[index - 1].lowerBound > range.upperBound { index -= 1 }
        if index > 0, pending[index - 1].upperBound >= range.lowerBound {
            let old = pending[index - 1]
            pending[index - 1] =
                min(old.lowerBound, range.lowerBound)..<max(old.upperBound, range.upperBound)
        } else if pending.count < Self.mostGaps {
            pending.insert(range, at: index)
        }
    }

    /// Takes bytes that arrived; whether the receiver can read more of them than before.
    mutating func receive(_ range: Range<Int>) -> Bool {
        guard range.upperBound > received else { return false }
        guard range.lowerBound <= received else {
            keep(range)
            return false
        }
        received = range.upperBound
        while let next = pending.first, next.lowerBound <= received {
            received = max(received, next.upperBound)
            pending.removeFirst()
        }
        return true
    }
}
