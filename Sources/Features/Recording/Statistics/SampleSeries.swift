public import LinkModel
import LinkUnits

/// Snapshots of a link at growing intervals: enough for a plot of a short run, and not too many for
/// a long one.
public struct SampleSeries: Sendable {
    /// More than fit into a plot.
    public static let capacity = 200
    /// The initial interval.
    public static let firstInterval = Duration.milliseconds(100)

    /// The current interval.
    public private(set) var interval = SampleSeries.firstInterval
    private var snapshots: [(time: Duration, link: LinkCounters)]

    /// Begins with the counters at time zero.
    public init(_ first: LinkCounters) {
        snapshots = [(.zero, first)]
    }

    /// When the next snapshot is due.
    public var nextTime: Duration { (snapshots.last?.time ?? .zero) + interval }

    /// Adds a snapshot; if there are too many, every second one is dropped.
    public mutating func append(_ link: LinkCounters, at time: Duration) {
        guard snapshots.last.map({ $0.time < time }) ?? true else { return }
        snapshots.append((time, link))
        guard snapshots.count > Self.capacity else { return }
        // Counted back from the last one; the first is kept for the start.
        let last = snapshots.count - 1
        snapshots = snapshots.indices.filter { $0 == 0 || (last - $0).isMultiple(of: 2) }
            .map { snapshots[$0] }
        interval *= 2
    }

    /// Adds the last snapshot. An interval much shorter than the others gives no useful rate and is
    /// merged with the previous one.
    public mutating func finish(_ link: LinkCounters, at time: Duration) {
        if snapshots.count > 1, time < nextTime - interval / 2 { snapshots.removeLast() }
        append(link, at: time)
    }

    /// The changes between consecutive snapshots.
    public var samples: [LinkSample] {
        zip(snapshots, snapshots.dropFirst()).map { first, second in
            let length = second.time - first.time
            return LinkSample(
                seconds: second.time.seconds,
                up: .init(from: first.link.up, to: second.link.up, within: length),
                down: .init(from: first.link.down, to: second.link.down, within: length))
        }
    }
}

extension DirectionSample {
    fileprivate init(
        from first: DirectionCounters, to second: DirectionCounters, within length: Duration
    ) {
        let packets = second.packets - first.packets
        var delay: Double?
        if packets > 0, let before = first.engine?.timeOnLink,
            let now = second.engine?.timeOnLink
        {
            delay = (now - before) / .milliseconds(1) / Double(packets)
        }
        let bytes = Double(second.bytes.bytes - first.bytes.bytes)
        self.init(
            bitsPerSecond: UInt64(saturating: bytes * 8 / length.seconds), delayMilliseconds: delay,
            dropped: second.dropped - first.dropped, lost: second.lost - first.lost,
            queuedPackets: second.queuedPackets)
    }
}
