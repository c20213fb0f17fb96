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
    private let unfaithfulRetry: UnfaithfulRetry
    private var waiting: [Int]
    private var running: Set<Int> = []
    /// Cells for which the machine was too busy beside others; they wait until it is theirs.
    private var disturbed: [Int] = []
    /// Cells that have the machine for themselves, or had it.
    private var solitary: Set<Int> = []
    /// Running cells that others run or ran beside.
    private var accompanied: Set<Int> = []
    private var attempts: [Int]
    /// The cells that other workers run.
    private(set) var elsewhere: Set<Int> = []

    private var jobCount: JobCount
    /// Whether no more cells are started.
    private(set) var isEnding = false

    /// Makes a schedule in which all cells wait, except those that are done.
    init(
        _ cells: [Cell], done: Set<Int> = [], order: [Int]? = nil, retries: Int, isFailFast: Bool,
        unfaithfulRetry: UnfaithfulRetry = .failed, jobs: JobCount
    ) {
        self.cells = cells
        self.retries = retries
        self.isFailFast = isFailFast
        self.unfaithfulRetry = unfaithfulRetry
        jobCount = jobs
        waiting = (order ?? Array(cells.indices)).filter { !done.contains($0) }
        attempts = cells.map { _ in 0 }
    }

    /// Whether no cell runs or will run.
    var isDone: Bool {
        running.isEmpty
            && (isEnding || waiting.isEmpty && disturbed.isEmpty && elsewhere.isEmpty)
    }

    /// How many cells are done.
    var doneCount: Int {
        cells.count - waiting.count - disturbed.count - running.count - elsewhere.count
    }

    /// Whether only cells that others run are left to do now.
    var waitsForOthers: Bool { !isEnding && running.count < jobs && !elsewhere.isEmpty }

    /// How many cells run at once.
    var jobs: Int { jobCount.current }

    /// Takes the next cell to start; nil if there is none now.
    ///
    /// - Returns: The cell, the number of the attempt, and that of the attempts that count: a cell
    ///   that is repeated by itself gets the same conditions again.
    mutating func next() -> (index: Int, attempt: Int, counted: Int)? {
        guard !isEnding, running.count < jobs, solitary.isDisjoint(with: running) else {
            return nil
        }
        let index: Int
        if let position = waiting.firstIndex(where: mayRun) {
            index = waiting.remove(at: position)
        } else if running.isEmpty, !disturbed.isEmpty {
            index = disturbed.removeFirst()
            solitary.insert(index)
        } else {
            return nil
        }
        running.insert(index)
        if running.count > 1 { accompanied.formUnion(running) }
        attempts[index] += 1
        return (index, attempts[index], countedAttempts(of: index))
    }

    /// Without the one beside others, for which the machine was too busy.
    private func countedAttempts(of index: Int) -> Int {
        attempts[index] - (solitary.contains(index) ? 1 : 0)
    }

    /// Records the end of an attempt.
    ///
    /// - Parameters:
    ///   - wasFaithful: Whether the machine kept up with the emulation and the command.
    ///   - idleShare: Which part of the processors' time was left since the last end; nil: unknown.
    mutating func finish(
        _ index: Int, passed: Bool, wasFaithful: Bool, idleShare: Double? = nil
    ) -> Decision {
        running.remove(index)
        jobCount.adapt(wasFaithful: wasFaithful, idleShare: idleShare)
        let wasDisturbed = accompanied.remove(index) != nil && !wasFaithful
        if wasDisturbed, unfaithfulRetry.includes(passed: passed), !solitary.contains(index),
            !isEnding
        {
            disturbed.append(index)
            return .retry
        }
        if passed { return .done }
        if countedAttempts(of: index) <= retries, !isEnding {
            waiting.insert(index, at: 0)
            return .retry
        }
        guard isFailFast else { return .done }
        isEnding = true
        return .endAll
    }

    /// Records that another worker runs a cell.
    mutating func leaveToOthers(_ index: Int) {
        remove(index)
        elsewhere.insert(index)
    }

    /// Records that another worker has finished a cell.
    mutating func noteDone(_ index: Int) { remove(index) }

    /// Records that nobody runs a cell any more.
    mutating func takeBack(_ index: Int) {
        remove(index)
        waiting.insert(index, at: 0)
    }

    private mutating func remove(_ index: Int) {
        if running.remove(index) == nil, elsewhere.remove(index) == nil {
            waiting.removeAll { $0 == index }
            disturbed.removeAll { $0 == index }
        }
        solitary.remove(index)
        accompanied.remove(index)
        attempts[index] = 0
    }

    /// Starts no more cells.
    mutating func end() {
        isEnding = true
    }

    /// Whether a cell may start: one compared with the baseline waits for its result.
    private func mayRun(_ index: Int) -> Bool {
        guard cells[index].expectations.needBaseline else { return true }
        return !(waiting + disturbed + running + elsewhere).contains { cells[$0].isBaseline }
    }
}
