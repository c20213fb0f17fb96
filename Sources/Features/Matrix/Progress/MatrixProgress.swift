/// The progress of a matrix.
public struct MatrixProgress: Sendable, Hashable {
    /// The state of a cell.
    public enum State: Sendable, Hashable {
        case waiting
        case running(seconds: Double)
        case ended(CellReport.Status, isFlaky: Bool)
    }

    /// A cell and its state.
    public struct CellState: Sendable, Hashable {
        /// Its profile.
        public var profile: String
        /// Its state.
        public var state: State
        /// How long the command ran, once it has ended.
        public var seconds: Double?
    }

    /// How long the matrix has been running.
    public var elapsedSeconds: Double
    /// The cells.
    public var cells: [CellState]
    /// The estimated remaining time, based on the cells that have ended; nil before the first.
    public var remainingSeconds: Double?

    /// Describes a matrix and estimates its remaining time.
    ///
    /// - Parameters:
    ///   - jobs: How many cells run at once.
    ///   - earlierSeconds: How long cells took in an earlier matrix, by profile.
    init(
        elapsedSeconds: Double, jobs: Int, cells: [CellState],
        earlierSeconds: [String: Double] = [:]
    ) {
        self.elapsedSeconds = elapsedSeconds
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

    /// The median; nil if there are no numbers.
    var median: Double? {
        guard !isEmpty else { return nil }
        let ordered = sorted()
        let middle = ordered.count / 2
        return ordered.count.isMultiple(of: 2)
            ? (ordered[middle - 1] + ordered[middle]) / 2 : ordered[middle]
    }
}
