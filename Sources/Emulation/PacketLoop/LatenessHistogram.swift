public import LinkUnits

/// A histogram of packet lateness, with a resolution of an eighth of the value.
public struct LatenessHistogram: Sendable, Hashable {
    // Eight buckets for each power of two; single nanoseconds below 8 ns.
    private static let steps = 8
    private var counts = [UInt64](repeating: 0, count: 62 * LatenessHistogram.steps)

    /// How many packets were counted.
    public private(set) var count: UInt64 = 0
    /// The largest lateness.
    public private(set) var maximum = Duration.zero

    /// Makes an empty histogram.
    public init() {}

    /// Counts packets; early ones count as punctual.
    mutating func record(_ lateness: Duration, packets: Int = 1) {
        let nanoseconds = lateness > .zero ? lateness.wholeNanoseconds : 0
        counts[Self.bucket(of: nanoseconds)] += UInt64(packets)
        count += UInt64(packets)
        maximum = max(maximum, lateness)
    }

    /// The lateness that this share of the packets did not exceed; nil without packets.
    public func quantile(_ share: Ratio) -> Duration? {
        guard count > 0 else { return nil }
        let rank = max(1, UInt64((share.value * Double(count)).rounded(.up)))
        var sum: UInt64 = 0
        for (bucket, number) in counts.enumerated() {
            sum += number
            if sum >= rank { return min(maximum, .nanoseconds(Self.top(of: bucket))) }
        }
        return maximum
    }

    private static func bucket(of nanoseconds: UInt64) -> Int {
        guard nanoseconds >= steps else { return Int(nanoseconds) }
        let exponent = 60 - min(60, nanoseconds.leadingZeroBitCount)
        return exponent * steps + Int(nanoseconds >> UInt64(exponent))
    }

    /// The largest value in a bucket.
    private static func top(of bucket: Int) -> UInt64 {
        guard bucket >= 2 * steps else { return UInt64(bucket) }
        let exponent = bucket / steps - 1
        return (UInt64(bucket - exponent * steps + 1) << UInt64(exponent)) - 1
    }
}
