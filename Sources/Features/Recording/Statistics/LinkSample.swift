public import LinkModel

/// What a link did in a short time, for plots.
public struct LinkSample: Codable, Sendable, Hashable {
    /// The end of that time, counted from the start of the command. It began where the sample
    /// before ended.
    public var seconds: Double
    /// From the app to the network.
    public var up: DirectionSample
    /// From the network to the app.
    public var down: DirectionSample

    /// Describes a short time.
    public init(seconds: Double, up: DirectionSample, down: DirectionSample) {
        self.seconds = seconds
        self.up = up
        self.down = down
    }
}

/// What a link did in one direction in a short time.
public struct DirectionSample: Codable, Sendable, Hashable {
    /// The rate of delivery.
    public var bitsPerSecond: UInt64
    /// How long the packets that were delivered had been on the link, on average; nil if
    /// there were none, or nobody knows.
    @OrNull public var delayMilliseconds: Double?
    /// Packets dropped by the queue.
    public var dropped: UInt64
    /// Packets lost by the profile's loss.
    public var lost: UInt64
    /// Packets in the queue at the end of that time.
    public var queuedPackets: UInt64

    /// Describes a direction.
    public init(
        bitsPerSecond: UInt64, delayMilliseconds: Double?, dropped: UInt64, lost: UInt64,
        queuedPackets: UInt64
    ) {
        self.bitsPerSecond = bitsPerSecond
        _delayMilliseconds = OrNull(wrappedValue: delayMilliseconds)
        self.dropped = dropped
        self.lost = lost
        self.queuedPackets = queuedPackets
    }
}
