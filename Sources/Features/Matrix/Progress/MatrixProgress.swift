/// How far a matrix is.
public struct MatrixProgress: Sendable, Hashable {
    /// How far a cell is.
    public enum State: Sendable, Hashable {
        case waiting
        case running(seconds: Double)
        case ended(CellReport.Status, isFlaky: Bool)
    }

    /// A cell, and how far it is.
    public struct CellState: Sendable, Hashable {
        /// Its profile.
        public var profile: String
        /// How far it is.
        public var state: State
        /// How long the command ran, if it has.
        public var seconds: Double?
    }

    /// How long it has been going on.
    public var elapsedSeconds: Double
    /// How many cells run at once.
    public var jobs: Int
    /// The cells.
    public var cells: [CellState]
    /// How long it may still take, by the cells that have ended; nil before any has.
    public var remainingSeconds: Double?

    /// Describes a matrix, and estimates how long it will still take.
    ///
    /// - Parameter earlierSeconds: how long cells took in an earlier matrix, by profile.
    init(
        elapsedSeconds: Double, jobs: Int, cells: [CellState],
        earlierSeconds: [String: Double] = [:]
    ) {
        self.elapsedSeconds = elapsedSeconds
        self.jobs = jobs
        self.cells = cells
        remainingSeconds = Self.estimate(cells, jobs: jobs, earlierSeconds)
    }

    private static func estimate(
        _ cells: [CellState], jobs: Int, _ earlierSeconds: [String: Double]
    ) -> Double? {
        var times: [String: [Double]] = [:]
        for cell in cells {
            if let seconds = cell.seconds { times[cell.profile, default: []].append(seconds) }
        }
        let known = earlierSeconds.merging(times.mapValues(\.mean)) { $1 }
        guard !known.isEmpty else { return nil }
        let usual = Array(known.values).mean
        var work = 0.0
        var longest = 0.0
        for cell in cells {
            let expected = known[cell.profile] ?? usual
            let left: Double
            switch cell.state {
            case .waiting: left = expected
            case .running(let seconds): left = max(0, expected - seconds)
            case .ended: left = 0
            }
            work += left
            longest = max(longest, left)
        }
        return max(longest, work / Double(max(1, jobs)))
    }
}

extension [Double] {
    /// The arithmetic mean of at least one number.
    var mean: Double { reduce(0, +) / Double(Swift.max(1, count)) }

    /// The middle one; nil of none.
    var median: Double? {
        guard !isEmpty else { return nil }
        let ordered = sorted()
        let middle = ordered.count / 2
        return ordered.count.isMultiple(of: 2)
            ? (ordered[middle - 1] + ordered[middle]) / 2 : ordered[middle]
    }
}
