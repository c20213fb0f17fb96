public import LinkUnits

/// How long the newest packets were on a link, from their arrival until they were passed to the kernel.
///
/// Of a fast link these are less than the packets of `span`.
public struct RecentTimes: Sendable, Hashable {
    /// The most packets that are remembered: the 99th percentile of them leaves out ten.
    static let most = 1024
    /// Older packets do not count.
    public static let span = Duration.seconds(2)

    private struct Departure: Hashable {
        let time: UInt64
        let onLink: UInt64
    }

    private var departures: [Departure] = []
    private var next = 0
    /// When they are looked at, since the loop's start.
    var now = Duration.zero

    /// Makes a record of none.
    public init() {}

    /// Adds a packet that left at `time`, since the loop's start.
    mutating func add(_ onLink: Duration, at time: Duration) {
        let departure = Departure(
            time: max(.zero, time).wholeNanoseconds, onLink: max(.zero, onLink).wholeNanoseconds)
        if departures.count < Self.most {
            departures.append(departure)
        } else {
            departures[next] = departure
            next = (next + 1) % Self.most
        }
    }

    /// The times that these shares of the packets did not exceed; nil without packets.
    public func quantiles(_ shares: Ratio...) -> [Duration]? {
        let first = max(.zero, now - Self.span).wholeNanoseconds
        let times = departures.filter { $0.time >= first }.map(\.onLink).sorted()
        guard !times.isEmpty else { return nil }
        return shares.map { share in
            let rank = Int((share.value * Double(times.count)).rounded(.up))
            return .nanoseconds(Int64(times[min(times.count, max(1, rank)) - 1]))
        }
    }
}
