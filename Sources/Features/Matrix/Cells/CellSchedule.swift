/// Which cell runs when. Knows no processes and no clock.
struct CellSchedule {
    /// What is to be done after an attempt.
    enum Decision: Sendable, Hashable {
        /// The cell waits for another attempt.
        case retry
        /// The cell is done.
        case done
        /// The cell is done, and with it the matrix: what runs is to be ended.
        case endAll
    }

    private let cells: [Cell]
    private let retries: Int
    private let isFailFast: Bool
    /// Whether fewer cells run at once when they disturb each other.
    private let adaptsJobs: Bool
    private var waiting: [Int]
    private var running: Set<Int> = []
    private var attempts: [Int]

    /// How many cells run at once.
    private(set) var jobs: Int
    /// Whether no more cells are started.
    private(set) var isEnding = false

    /// Begins with all cells waiting.
    init(_ cells: [Cell], retries: Int, isFailFast: Bool, jobs: Int, adaptsJobs: Bool) {
        self.cells = cells
        self.retries = retries
        self.isFailFast = isFailFast
        self.jobs = jobs
        self.adaptsJobs = adaptsJobs
        waiting = Array(cells.indices)
        attempts = cells.map { _ in 0 }
    }

    /// Whether nothing runs and nothing will.
    var isDone: Bool { running.isEmpty && (isEnding || waiting.isEmpty) }

    /// How many cells are done.
    var doneCount: Int { cells.count - waiting.count - running.count }

    /// Takes the cell that is to be started now, and which attempt at it that is; nil if none is.
    mutating func next() -> (index: Int, attempt: Int)? {
        guard !isEnding, running.count < jobs,
            let position = waiting.firstIndex(where: mayRun)
        else { return nil }
        let index = waiting.remove(at: position)
        running.insert(index)
        attempts[index] += 1
        return (index, attempts[index])
    }

    /// Says how an attempt ended.
    ///
    /// - Parameter wasFaithful: whether the machine kept up with the emulation.
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

    /// Has no more cells started.
    mutating func end() {
        isEnding = true
    }

    /// What is compared with the baseline waits until that is known.
    private func mayRun(_ index: Int) -> Bool {
        guard cells[index].expectations.needBaseline else { return true }
        return !waiting.contains { cells[$0].isBaseline }
            && !running.contains { cells[$0].isBaseline }
    }
}
