import LinkUnits

/// The packets that left a link later than a `LatenessTolerance` allows, and when.
public struct LatePackets: Codable, Sendable, Hashable {
    /// How many there were.
    public private(set) var packets: UInt64 = 0
    /// The seconds in which there were some, in order; of a very long time the first.
    public private(set) var seconds: [Second] = []

    /// More seconds are not kept: an hour.
    static let mostSeconds = 3600

    /// Makes a count of none.
    public init() {}

    /// The late packets of a second.
    public struct Second: Codable, Sendable, Hashable {
        /// Its number since the link's start, from 0.
        public var second: UInt64
        /// How many packets were late.
        public var packets: UInt64
        /// How late the latest of them was.
        public var maximumMicroseconds: Double
    }

    /// The second with the most late packets, the first of several; nil without any.
    public var worst: Second? { seconds.max { $0.packets < $1.packets } }

    /// Counts packets that left together.
    ///
    /// - Parameter time: When they left, since the link's start; not before those counted earlier.
    public mutating func record(_ lateness: Duration, packets count: UInt64, at time: Duration) {
        add(
            Second(
                second: UInt64(max(0, time.components.seconds)), packets: count,
                maximumMicroseconds: Double(lateness.wholeNanoseconds) / 1000))
    }

    /// The sum over two links that started together.
    static func + (left: Self, right: Self) -> Self {
        var sum = Self()
        for second in (left.seconds + right.seconds).sorted(by: { $0.second < $1.second }) {
            sum.add(second)
        }
        sum.packets = left.packets.addingSaturated(right.packets)
        return sum
    }

    private mutating func add(_ second: Second) {
        packets = packets.addingSaturated(second.packets)
        if let last = seconds.last, last.second >= second.second {
            let index = seconds.count - 1
            seconds[index].packets = last.packets.addingSaturated(second.packets)
            seconds[index].maximumMicroseconds = max(
                last.maximumMicroseconds, second.maximumMicroseconds)
        } else if seconds.count < Self.mostSeconds {
            seconds.append(second)
        }
    }
}
