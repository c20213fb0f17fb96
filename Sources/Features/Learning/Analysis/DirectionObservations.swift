import LinkModel
import Verification

/// What was seen of a direction.
package struct DirectionObservations: Sendable {
    /// Few small packets on the idle link.
    package var idle: [ObservedTrain] = []
    /// The largest packet that passed; nil if not known.
    package var passingBytes: Int?
    /// The largest packet, if one of 1,500 bytes does not pass.
    package var mtu: Int?
    /// The MTU that ICMP told of.
    package var toldMTU: Int?
    /// More than the bandwidth.
    package var overload: Overload?
    /// The same for longer, if the bandwidth varies.
    package var varying: ObservedTrain?
    /// What passed although it was the most that could be sent, in bits per second.
    package var passed: Double?
    /// Small packets below the bandwidth.
    package var steady: ObservedTrain?

    /// Whether the packets have the longer headers of IPv6.
    package var isIPv6 = false

    package init() {}

    /// The shortest delay in milliseconds.
    var least: Double? {
        (idle + [steady].compactMap(\.self)).compactMap { $0.delays.min() }.min()
    }

    /// How much the delay on the idle link varies, in milliseconds.
    var idleSpread: Double {
        Statistics.robustDeviation(idle.flatMap(\.delays)) ?? 0
    }

    /// What is learned of both directions.
    static func learned(
        _ both: [Direction: DirectionObservations], sharesClock: Bool
    ) -> [Direction: LearnedDirection] {
        var shift: [Direction: Int64] = [:]
        if !sharesClock {
            // Each direction gets half of the round trip, whatever the clocks say.
            let least = both.mapValues { $0.least ?? 0 }
            let half = ((least[.up] ?? 0) + (least[.down] ?? 0)) / 2
            for (direction, value) in least { shift[direction] = Int64((half - value) * 1e6) }
        }
        let found = both.map { direction, seen in
            let analysis = DirectionAnalysis(
                seen.shifted(by: shift[direction] ?? 0), direction, sharesClock: sharesClock)
            return (direction, analysis.learned)
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    func shifted(by nanoseconds: Int64) -> DirectionObservations {
        guard nanoseconds != 0 else { return self }
        var moved = self
        moved.idle = idle.map { $0.shifted(by: nanoseconds) }
        moved.overload = overload.map { Overload($0.trains.map { $0.shifted(by: nanoseconds) }) }
        moved.varying = varying?.shifted(by: nanoseconds)
        moved.steady = steady?.shifted(by: nanoseconds)
        return moved
    }
}
