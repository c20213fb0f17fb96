import LinkUnits

/// Maps times to positions: the duration of a run to the width of a drawing.
struct TimeScale: Sendable {
    /// The time at the right edge, in seconds.
    let end: Double

    /// How many axis labels fit next to each other on a phone.
    private static let mostTicks = 6.0
    private static let distances: [Double] = [
        0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800,
        3600,
    ]

    /// A scale up to `end`, at least a millisecond.
    init(end: Double) {
        self.end = end.isFinite ? max(end, 0.001) : 0.001
    }

    /// The position of a time in per cent of the width.
    func percent(_ seconds: Double) -> Double {
        (min(max(seconds / end, 0), 1) * 10_000).rounded() / 100
    }

    /// The position of a time in a box with a width of 1000.
    func position(_ seconds: Double) -> Int {
        Int((min(max(seconds / end, 0), 1) * 1000).rounded())
    }

    /// Round times at equal distances, including 0.
    var ticks: [Double] {
        let least = end / Self.mostTicks
        let distance =
            Self.distances.first { $0 >= least } ?? (least / 3600).rounded(.up) * 3600
        return (0...Int(Self.mostTicks)).map { Double($0) * distance }.filter { $0 <= end }
    }

    /// A time for people, as precise as the ticks need it.
    func text(_ seconds: Double) -> String {
        guard end > 180 else { return "\(seconds.shortText) s" }
        let whole = Int64(saturating: seconds.rounded())
        return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
    }
}
