import LinkModel
public import Matrix
import Recording

/// Starts runs of the command at values of the quantity.
public protocol TrialLauncher {
    /// Starts a process that runs the command, dies with this process, and ends its command on
    /// `SIGTERM`.
    func start(_ trial: Trial) throws -> CellProcess

    /// The command line that repeats a run; nil: there is none.
    func reproduction(of value: String, seed: UInt64?) -> [String]?
}

/// A run to be started.
public struct Trial: Sendable, Hashable {
    /// The value of the quantity.
    public let value: String
    /// The seed.
    public let seed: UInt64
    /// Environment variables of the command, in addition to the caller's.
    public let variables: [String: String]
}

/// Receives the progress of a search.
public protocol BisectionListener {
    /// A run has ended.
    func ended(_ trial: TrialRecord)
}

/// Runs the command until the search is done.
///
/// Theory of operation. A single thread starts runs as `CurveSearch` wants them, several beside each
/// other, and gives it the results. Each result is on disk before the next run starts. A run for
/// which the machine was too busy is thrown away and repeated by itself, after a pause; one that
/// linkcond cannot run at all ends the search.
public struct BisectionRunner<Launcher: TrialLauncher, Listener: BisectionListener> {
    /// Why no more runs start before the search is done.
    public enum EarlyEnd: String, Sendable, Codable {
        case budget, interrupted, busy
    }

    private let store: BisectionStore
    private let range: SearchedRange
    private let launcher: Launcher
    private let listener: Listener
    private let deadline: ContinuousClock.Instant?
    private var pool: CellPool
    private var search: CurveSearch
    private var trials: [TrialRecord]
    /// The runs of the search that go on, by the numbers of their trials.
    private var going: [Int: (run: Int, attempt: Int)] = [:]
    /// Runs that are repeated by themselves, not before a time.
    private var disturbed: [(run: Int, attempt: Int, start: ContinuousClock.Instant)] = []
    private var nextNumber: Int
    private var earlyEnd: EarlyEnd?
    private let beginning = ContinuousClock.now

    /// The numbers of runs; a directory may have files of somebody else.
    private static var numbers: ClosedRange<Int> { 1...1_000_000_000 }

    /// How often a run is repeated for which the machine was too busy.
    private static var mostAttempts: Int { 8 }

    /// Prepares a search, with the runs of before if it goes on.
    ///
    /// - Parameters:
    ///   - mostRuns: How many runs count at most.
    ///   - budget: How long it may take; nil: without limit.
    ///   - jobs: How many runs go on at once; nil: as many as the machine has time for.
    public init(
        _ store: BisectionStore, range: SearchedRange, mostRuns: Int, budget: Duration?,
        jobs: Int?, launcher: Launcher, listener: Listener
    ) throws {
        self.store = store
        self.range = range
        self.launcher = launcher
        self.listener = listener
        deadline = budget.map { .now + $0 }
        pool = try CellPool(in: store.directory, jobs: jobs)
        search = CurveSearch(places: range.places, mostRuns: mostRuns)
        trials = store.earlier.filter {
            range.texts.indices.contains($0.point) && Self.numbers.contains($0.number)
        }
        nextNumber = (trials.last?.number ?? 0) + 1
        for trial in trials {
            guard let passed = trial.passed else { continue }
            search.finish(search.start(at: trial.point), passed: passed)
        }
    }

    /// Searches.
    ///
    /// - Returns: What is known, and the signal that ended the search, if one did.
    public mutating func run() throws -> (report: BisectionReport, interruption: Int32?) {
        do {
            while true {
                try startRuns()
                guard pool.count > 0 || earlyEnd == nil && !disturbed.isEmpty else { break }
                for ended in pool.wait(atMost: timeToNews) {
                    try take(ended)
                }
                if pool.interruption != nil { earlyEnd = .interrupted }
                if let deadline, earlyEnd == nil, deadline <= .now {
                    earlyEnd = .budget
                    pool.endAll()
                }
            }
        } catch {
            endAll()
            throw error
        }
        let report = BisectionReport(
            store.request, range, search, trials, earlyEnd: earlyEnd?.rawValue,
            seconds: (ContinuousClock.now - beginning) / .seconds(1)
        ) { launcher.reproduction(of: $0, seed: $1) }
        return (report, pool.interruption)
    }

    /// When there may be something to do that no run tells.
    private var timeToNews: Duration {
        let tick = Duration.milliseconds(500)
        guard earlyEnd == nil else { return tick }
        let moments = [deadline, pool.count == 0 ? disturbed.first?.start : nil]
        return moments.compactMap { $0 }.map { max(.zero, $0 - .now) }.reduce(tick, min)
    }

    private mutating func endAll() {
        pool.endAll()
        while pool.count > 0 { _ = pool.wait(atMost: .seconds(1)) }
    }

    private mutating func startRuns() throws {
        while earlyEnd == nil, pool.hasRoom {
            if let deadline, deadline <= .now {
                earlyEnd = .budget
                return
            }
            // One that is repeated has the machine for itself.
            if let next = disturbed.first {
                guard pool.count == 0, next.start <= .now else { return }
                disturbed.removeFirst()
                try start(next.run, attempt: next.attempt)
                return
            }
            guard going.values.allSatisfy({ $0.attempt == 1 }), let run = search.start() else {
                return
            }
            try start(run, attempt: 1)
        }
    }

    private mutating func start(_ run: Int, attempt: Int) throws {
        let number = nextNumber
        nextNumber += 1
        let value = range.texts[search.runs[run].point]
        let seed = seed(of: number)
        try pool.start(number, name: "\(number)") { [launcher] variables in
            try launcher.start(Trial(value: value, seed: seed, variables: variables))
        }
        going[number] = (run, attempt)
    }

    private func seed(of number: Int) -> UInt64 {
        CellSeed.make("\(store.request.seed) \(number)")
    }

    private mutating func take(_ ended: CellPool.Ended) throws {
        guard let (run, attempt) = going.removeValue(forKey: ended.number) else { return }
        guard !ended.wasEnded else { return }
        let point = search.runs[run].point
        guard let exitCode = ended.outcome.exitCode else {
            throw BisectionError(
                ended.outcome.problemStatus.flatMap(ExitStatus.init) ?? .sandbox,
                "the command could not be run at \(range.texts[point]): "
                    + (ended.outcome.problem ?? "the sandbox did not say how it ended"))
        }
        let statistics = ended.outcome.statistics
        let seconds = statistics?.durationSeconds ?? ended.seconds
        let rule = store.request.rule
        let finding = rule.judge(
            exitCode: exitCode, isTimedOut: ended.outcome.isTimedOut, seconds: seconds,
            output: rule.needsOutput ? store.output(ended.log) : "")
        let wasFaithful = statistics?.isFaithful != false
        let trial = TrialRecord(
            number: ended.number, point: point, value: range.texts[point],
            seed: statistics.map(\.seed) ?? seed(of: ended.number),
            passed: wasFaithful ? finding.passed : nil, exitCode: exitCode,
            isTimedOut: ended.outcome.isTimedOut, durationSeconds: seconds,
            measured: finding.measured, log: ended.log?.path)
        trials.append(trial)
        try store.save(trial)
        pool.adapt(wasFaithful: wasFaithful)
        listener.ended(trial)
        if wasFaithful {
            search.finish(run, passed: finding.passed)
        } else if attempt < Self.mostAttempts {
            let pause = Repetition.pause(before: attempt + 1)
            disturbed.append((run, attempt + 1, .now + pause))
        } else {
            earlyEnd = .busy
            pool.endAll()
        }
    }
}
