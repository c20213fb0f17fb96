public import LinkModel

/// A link's traffic in a short interval, for plots.
public struct LinkSample: Codable, Sendable, Hashable {
    /// The end of the interval, from the start of the command. It begins at the end of the previous
    /// sample.
    public var seconds: Double
    /// From the app to the network.
    public var up: DirectionSample
    /// From the network to the app.
    public var down: DirectionSample
}

/// The traffic of one direction in a short interval.
public struct DirectionSample: Codable, Sendable, Hashable {
    /// The rate of delivery.
    public var bitsPerSecond: UInt64
    /// The mean time that delivered packets spent on the link; nil if there were none, or if
    /// unknown.
    @OrNull public var delayMilliseconds: Double?
    /// Packets dropped by the queue.
    public var dropped: UInt64
    /// Packets lost by the profile's loss.
    public var lost: UInt64
    /// Packets in the queue at the end of the interval.
    public var queuedPackets: UInt64
}
