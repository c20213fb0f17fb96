/// Decides which cell runs when. It uses no processes and no clock.
struct CellSchedule {
    /// What to do after an attempt.
    enum Decision: Sendable, Hashable {
        /// The cell waits for another attempt.
        case retry
        /// The cell is done.
        case done
        /// The cell is done and ends the matrix: running cells are ended too.
        case endAll
    }

    private let cells: [Cell]
    private let retries: Int
    private let isFailFast: Bool
    /// Whether to run fewer cells at once when they disturb each other.
    private let adaptsJobs: Bool
    private var waiting: [Int]
    private var running: Set<Int> = []
    private var attempts: [Int]

    /// How many cells run at once.
    private(set) var jobs: Int
    /// Whether no more cells are started.
    private(set) var isEnding = false

    /// Makes a schedule in which all cells wait.
    init(_ cells: [Cell], retries: Int, isFailFast: Bool, jobs: Int, adaptsJobs: Bool) {
        self.cells = cells
        self.retries = retries
        self.isFailFast = isFailFast
        self.jobs = jobs
        self.adaptsJobs = adaptsJobs
        waiting = Array(cells.indices)
        attempts = cells.map { _ in 0 }
    }

    /// Whether no cell runs or will run.
    var isDone: Bool { running.isEmpty && (isEnding || waiting.isEmpty) }

    /// How many cells are done.
    var doneCount: Int { cells.count - waiting.count - running.count }

    /// Takes the next cell to start, with the number of the attempt; nil if there is none now.
    mutating func next() -> (index: Int, attempt: Int)? {
        guard !isEnding, running.count < jobs,
            let position = waiting.firstIndex(where: mayRun)
        else { return nil }
        let index = waiting.remove(at: position)
        running.insert(index)
        attempts[index] += 1
        return (index, attempts[index])
    }

    /// Records the end of an attempt.
    ///
    /// - Parameter wasFaithful: Whether the machine kept up with the emulation.
    mutating func finish(_ index: Int, passed: Bool, wasFaithful: Bool) -> Decision {
        running.remove(index)
        if !wasFaithful, adaptsJobs, jobs > 1 { jobs /= 2 }
        if passed { return .done }
        if attempts[index] <= retries, !isEnding {
            waiting.insert(index, at: 0)
            return .retry
        }
        guard isFailFast else { return .done }
        isEnding = true
        return .endAll
    }

    /// Starts no more cells.
    mutating func end() {
        isEnding = true
    }

    /// Whether a cell may start: one compared with the baseline waits for its result.
    private func mayRun(_ index: Int) -> Bool {
        guard cells[index].expectations.needBaseline else { return true }
        return !waiting.contains { cells[$0].isBaseline }
            && !running.contains { cells[$0].isBaseline }
    }
}
