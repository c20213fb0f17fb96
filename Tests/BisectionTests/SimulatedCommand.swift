import Bisection
import LinkTesting

/// A command that passes with a known probability at each place.
struct SimulatedCommand {
    /// The probability that it passes at a place from 0 to 1.
    let chance: (Double) -> Double

    /// Searches with it.
    ///
    /// - Parameters:
    ///   - jobs: How many runs go on at once; they end in a random order.
    ///   - mostRuns: How many runs there may be.
    func search(
        gaps: Int = 32, mostRuns: Int = 80, jobs: Int = 1, seed: UInt64
    ) -> CurveSearch {
        search(
            at: (0...gaps).map { Double($0) / Double(gaps) }, mostRuns: mostRuns, jobs: jobs,
            seed: seed)
    }

    /// The same with points at these places.
    func search(
        at places: [Double], mostRuns: Int, jobs: Int = 1, seed: UInt64
    ) -> CurveSearch {
        var random = SeededGenerator(seed: seed)
        var search = CurveSearch(places: places, mostRuns: mostRuns)
        var running: [Int] = []
        while true {
            while running.count < jobs, let run = search.start() { running.append(run) }
            guard !running.isEmpty else { return search }
            let run = running.remove(at: Int.random(in: 0..<running.count, using: &random))
            let chance = chance(search.places[search.runs[run].point])
            search.finish(run, passed: Double.random(in: 0..<1, using: &random) < chance)
        }
    }
}

extension CurveSearch {
    /// Whether the interval has a place.
    func covers(_ place: Double) -> Bool {
        guard let interval else { return false }
        let (good, bad) = (places[interval.good], places[interval.bad])
        return min(good, bad) <= place && place <= max(good, bad)
    }
}
