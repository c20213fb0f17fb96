import FoundationEssentials
import LinkUnits

/// Limits for a matrix: requests come from files and from other people's reports.
extension MatrixSpecification {
    /// More cells than anybody waits for, and few enough for the memory.
    public static let mostCells = 100_000
    /// More attempts would show nothing new.
    public static let mostRetries = 1000
    /// More processes than any machine starts.
    public static let mostJobs = 10_000

    /// The number of cells, saturated.
    var cellCount: Int {
        let changed = expectations.values.reduce(0) { $0 + ($1.survives?.count ?? 0) }
        let rows = (hasBaseline ? 1 : 0) + profiles.count + changed + (scenarios?.count ?? 0)
        return rows.multipliedSaturated(by: max(0, repetitions))
    }

    /// Why the matrix is impossible, in a sentence; nil if it is sound.
    public var problem: String? {
        if repetitions < 1 {
            return "repeat is \(repetitions); it has to be at least 1"
        }
        if cellCount > Self.mostCells {
            return "there are \(profiles.count + (scenarios?.count ?? 0)) profiles and scenarios, "
                + "repeated \(repetitions) times, which makes more than the \(Self.mostCells) "
                + "cells that a matrix may have; repeat them less often"
        }
        let names = profiles + (scenarios ?? []).map(\.name)
        var seen: Set<String> = []
        if let name = names.first(where: { !seen.insert($0).inserted }) {
            return "\(name) is there twice; cells need different names"
        }
        if !(0...Self.mostRetries).contains(retries) {
            return "retries is \(retries), outside 0 to \(Self.mostRetries)"
        }
        if !timeLimits.areSound {
            return "a time limit is not above 0 s"
        }
        return nil
    }
}

extension MatrixReport {
    /// Three hundred years in seconds, more than in any real report.
    static let longestSeconds = 1e10

    /// Why the report is invalid, in a sentence; nil if it is sound.
    var problem: String? {
        if let problem = specification.problem { return problem }
        let count = max(cells.count, planned?.count ?? 0)
        if count > MatrixSpecification.mostCells {
            return "it has \(count) cells, more than the \(MatrixSpecification.mostCells) "
                + "that a matrix may have"
        }
        let times =
            [durationSeconds, startedAt.timeIntervalSince1970]
            + cells.flatMap { [$0.startedSeconds, $0.durationSeconds] }
            + cells.flatMap { ($0.tests ?? []).compactMap(\.seconds) }
        if let time = times.first(where: { !(0...Self.longestSeconds).contains($0) }) {
            return "no matrix can have a time of \(time) s"
        }
        return nil
    }
}
