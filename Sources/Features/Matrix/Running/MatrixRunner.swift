import FoundationEssentials
import Glibc
import LinuxKernel
import Recording
import SystemPackage

/// Runs the cells of a matrix in parallel, each in its own process, and reports.
///
/// Theory of operation. A single thread does everything, since cells are made by forking this
/// process. It starts the cells that the schedule provides, waits for the next event (output, the
/// end of a process, a signal), and judges a cell when its process has ended. A cell's process dies
/// with this one, and its sandbox with it, so nothing is left behind however a matrix ends.
public struct MatrixRunner<Launcher: CellLauncher, Listener: MatrixListener> {
    private let command: [String]
    private let specification: MatrixSpecification
    let cells: [Cell]
    private let planned: [Cell]
    let store: MatrixStore?
    /// Where the commands write their files.
    private let outputs: ReportDirectory?
    private let launcher: Launcher
    private let listener: Listener
    private let signals: SignalDescriptor
    /// The base names of the cells' files.
    private let names: [String]
    /// What had run before.
    private let stored: StoredCells?
    private let earlierSeconds: [String: Double]
    private let pattern: String?

    var schedule: CellSchedule
    var reports: [CellReport]
    var running: [RunningCell] = []
    private var logFailures: [String: Errno] = [:]
    private var losses = 0
    private var firstLoss: MatrixError?
    private var syncing = SyncBudget()
    private var interruption: Int32?
    /// The cells that had run before, and on which kind of machine.
    var earlier: [Int: String] = [:]
    /// The other workers; nil: none.
    var queue: WorkQueue?
    var nextLook = ContinuousClock.now
    /// All results on disk, at the end.
    var finalCells: StoredCells?
    var damageRounds = 0
    /// Why this worker cannot go on.
    public internal(set) var failure: MatrixError?
    /// How long before this run the matrix began.
    private var offset = Duration.zero
    private let beginning = ContinuousClock.now
    private let startedAt = Date()
    private let initialJobs: Int
    private let machine: MatrixReport.Machine
    private var idleness = IdlenessMeter()

    /// How often the listener hears of progress without other events.
    private static var tick: Duration { .milliseconds(500) }
    private static var interruptions: [Int32] { [SIGINT, SIGTERM, SIGHUP, SIGQUIT] }

    /// Prepares a matrix. From here on, signals that would end the program end the matrix instead.
    ///
    /// - Parameters:
    ///   - cells: Which cells of the specification to run.
    ///   - planned: All cells that the matrix has to run, including those of other parts.
    ///   - jobs: How many to run at once; nil: as many as the machine has time for.
    ///   - store: The directory for results, of which those that are there are not run again; nil:
    ///     none.
    ///   - scratch: A directory for the files of the commands if there is none for results.
    ///   - pattern: Which files of a cell are JUnit files; see `ReadableReports`.
    ///   - earlierSeconds: How long cells took in an earlier matrix, by profile.
    ///   - version: That of linkcond, for the report.
    public init(
        command: [String], specification: MatrixSpecification, cells: [Cell], planned: [Cell],
        jobs: Int?, store: MatrixStore?, scratch: ReportDirectory? = nil,
        collecting pattern: String? = nil, launcher: Launcher, listener: Listener,
        earlierSeconds: [String: Double] = [:],
        version: String? = nil
    ) throws {
        self.command = command
        self.specification = specification
        self.cells = cells
        self.planned = planned
        self.store = store
        outputs = store?.directory ?? scratch
        self.launcher = launcher
        self.listener = listener
        self.earlierSeconds = earlierSeconds
        self.pattern = pattern
        let isQueue = store?.record.isQueue == true
        stored = isQueue ? nil : store?.load()
        names = CellFileNames(cells).names(of: cells, in: store, stored)
        initialJobs = jobs ?? JobCount.standard
        machine = .current(jobs: initialJobs, version: version)
        var reports = cells.map { cell in
            var report = CellReport(
                id: cell.id, profile: cell.profile, repetition: cell.repetition,
                isBaseline: cell.isBaseline, conditions: launcher.conditions(of: cell),
                seed: cell.seed,
                reproduce: specification.reproduction(of: cell, seed: cell.seed, command))
            report.scenario = cell.scenario?.name
            return report
        }
        if let store, let stored {
            for (index, cell) in cells.enumerated() {
                guard let result = stored.result(of: cell, on: store.machineKind), result.isLast
                else { continue }
                reports[index] = stored.report(result)
                earlier[index] = result.machineKind
            }
        }
        if let store {
            offset = max(.zero, .seconds(startedAt.timeIntervalSince(store.record.startedAt)))
        }
        self.reports = reports
        schedule = CellSchedule(
            cells, done: Set(earlier.keys),
            order: isQueue ? Self.order(cells, earlierSeconds, launcher) : nil,
            retries: specification.retries,
            isFailFast: specification.isFailFast,
            unfaithfulRetry: specification.unfaithfulRetry ?? .failed,
            jobs: JobCount(initialJobs, isFixed: jobs != nil))
        signals = try SignalDescriptor(Self.interruptions + [SIGCHLD])
        if isQueue { queue = try store.map { store in try WorkQueue(store, names: names) } }
    }

    /// The directory for the reports; nil: none. A worker that is interrupted leaves them to others.
    public var reportDirectory: ReportDirectory? {
        queue != nil && interruption != nil ? nil : store?.directory
    }

    /// Whether the directory has all results, and all the output.
    public var hasWrittenAll: Bool { logFailures.isEmpty && firstLoss == nil }

    /// Runs the cells and waits for them.
    ///
    /// - Returns: The report, and the signal that ended the matrix early, if one did.
    public mutating func run(shard: Shard? = nil) -> (report: MatrixReport, interruption: Int32?) {
        listener.progress { progress }
        joinQueue()
        repeat {
            while !schedule.isDone {
                startCells()
                waitForNews()
                judgeEnded()
                mindQueue()
                listener.progress { progress }
            }
        } while takeBackDamaged()
        queue?.leave()
        store?.directory.removeEmptyDirectories()
        if queue != nil, let store { return (queueReport(of: store), interruption) }
        compareWithBaseline()
        let report = MatrixReport(
            command: command, specification: specification,
            startedAt: store?.record.startedAt ?? startedAt, durationSeconds: elapsedSeconds,
            isFinished: !schedule.isEnding, machine: machine, shard: shard,
            planned: planned,
            notes: [
                MatrixNotes.business(reports, jobs: schedule.jobs), MatrixNotes.logs(logFailures),
                MatrixNotes.losses(losses, firstLoss),
                MatrixNotes.earlier(earlier.count, of: cells.count),
            ].compactMap(\.self) + MatrixNotes.damages(stored),
            cells: reports)
        return (report, interruption)
    }

    // MARK: Starting

    private mutating func startCells() {
        while let (index, attempt, counted) = schedule.next() {
            if attempt == 1, !claims(index) { continue }
            let cell = cells[index]
            let seed = cell.seed(ofAttempt: counted)
            if attempt > 1 { reports[index].beginAgain() }
            reports[index].seed = seed
            reports[index].reproduce = specification.reproduction(of: cell, seed: seed, command)
            reports[index].startedSeconds = elapsedSeconds
            do {
                try start(index, attempt: attempt, seed: seed)
            } catch {
                var outcome = CellOutcome()
                outcome.problem = "\(error)"
                conclude(index, outcome, lastLines: "")
            }
        }
    }

    private mutating func start(_ index: Int, attempt: Int, seed: UInt64?) throws {
        let cell = cells[index]
        // The files of different attempts must not collide.
        let name = fileName(of: index) + (attempt == 1 ? "" : ".attempt-\(attempt)")
        var variables = specification.environment
        variables["LINKCOND_CELL"] = cell.id
        variables["LINKCOND_OUTPUT"] = try outputs?.makeFilesDirectory(name)
        let log = try store?.directory.openLog(name)
        do {
            let child = try launcher.start(
                CellAttempt(cell: cell, seed: seed, variables: variables))
            running.append(
                RunningCell(
                    index: index, name: name, child: child,
                    log: CellLog(log?.file, path: log?.name ?? "")))
        } catch {
            try? log?.file.descriptor.close()
            throw error
        }
    }

    // MARK: Waiting

    private mutating func waitForNews() {
        guard !running.isEmpty || queue != nil, !schedule.isDone else { return }
        let tick = min(Self.tick, queue?.pause ?? Self.tick)
        let timeout = running.compactMap(\.remaining).min().map { min($0, tick) } ?? tick
        let pipes = running.flatMap(\.descriptors)
        let ready = Readiness.wait(for: [signals.descriptor] + pipes, timeout: timeout)
        for index in running.indices {
            for pipe in running[index].descriptors where ready.contains(pipe) {
                running[index].read(pipe)
            }
            running[index].enforceDeadline()
        }
        while let signal = signals.next() {
            if signal.number != SIGCHLD { interrupt(by: signal.number) }
        }
        while let (process, end) = Process.reapAny() {
            for index in running.indices { running[index].note(end, of: process) }
        }
    }

    private mutating func interrupt(by signal: Int32) {
        let isFirst = interruption == nil
        interruption = interruption ?? signal
        schedule.end()
        if isFirst { listener.interrupted() }
        endAll(isPatient: isFirst)
    }

    /// Ends running cells. A second request does not wait.
    mutating func endAll(isPatient: Bool) {
        for index in running.indices { running[index].endCommand(isPatient: isPatient) }
    }

    // MARK: Judging

    private mutating func judgeEnded() {
        for position in running.indices.reversed() where running[position].hasEnded {
            var cell = running.remove(at: position)
            let (outcome, file) = cell.finish()
            reports[cell.index].log = file
            reports[cell.index].durationSeconds =
                (ContinuousClock.now - cell.startedAt) / .seconds(1)
            reports[cell.index].files = outputs?.keepFilesDirectory(cell.name)
            if discardIfLost(cell.index) { continue }
            if cell.wasEnded {
                reports[cell.index].problem =
                    interruption == nil ? "ended, since another cell failed" : "interrupted"
                _ = schedule.finish(cell.index, passed: true, wasFaithful: true)
                note(cell.log.failure, ofLogOf: cell.index)
            } else {
                conclude(
                    cell.index, outcome, logFailure: cell.log.failure,
                    lastLines: cell.log.lastLines(20))
            }
        }
    }

    private func collectedTests(of index: Int) -> CollectedTests? {
        reports[index].files.flatMap { outputs?.tests(in: $0, collecting: pattern) }
            ?? pattern.map(CollectedTests.init(withoutFilesFor:))
    }

    private mutating func note(_ failure: Errno?, ofLogOf index: Int) {
        guard let failure else { return }
        logFailures[cells[index].id] = failure
        reports[index].notes.append("the log is not complete: \(failure)")
    }

    private mutating func conclude(
        _ index: Int, _ outcome: CellOutcome, logFailure: Errno? = nil, lastLines: String
    ) {
        reports[index].conclude(outcome, of: cells[index], baselineSeconds: baselineSeconds)
        if let tests = collectedTests(of: index) {
            reports[index].list(tests)
            if specification.trustsExitCode != true { reports[index].expectNoFailures(in: tests) }
            if store == nil {
                outputs?.removeFiles(of: reports[index])
                reports[index].files = nil
            }
        }
        note(logFailure, ofLogOf: index)
        let passed = reports[index].status == .passed
        reports[index].isFlaky =
            passed && reports[index].earlierAttempts.contains { $0.isFaithful != false }
        let wasFaithful = reports[index].statistics?.isFaithful != false
        let decision = schedule.finish(
            index, passed: passed, wasFaithful: wasFaithful, idleShare: idleness.share())
        // Other workers would take it for the last word; if this one dies, they run the cell.
        if decision != .retry || queue == nil { keep(index, awaitsRepeat: decision == .retry) }
        listener.ended(
            reports[index], lastLines: lastLines, isLast: decision != .retry,
            done: schedule.doneCount, of: cells.count)
        if decision == .endAll {
            queue?.stopAll(cells[index].id)
            endAll(isPatient: true)
        }
    }

    /// Puts the result of a finished cell on disk.
    private mutating func keep(_ index: Int, awaitsRepeat: Bool) {
        guard let store else { return }
        let result = CellRecord(
            reports[index], digest: store.record.digest, claim: queue?.claimNumber(of: index) ?? 1,
            machine: machine, machineKind: store.machineKind,
            startedAt: store.record.startedAt + reports[index].startedSeconds,
            awaitsRepeat: awaitsRepeat)
        let begin = ContinuousClock.now
        let isLasting = syncing.allowsSync(at: begin)
        do {
            try store.save(result, as: fileName(of: index), isLasting: isLasting)
        } catch {
            // Other workers would never learn of it.
            if queue != nil { fail(error) }
            losses += 1
            firstLoss = firstLoss ?? error
        }
        if isLasting { syncing.note(from: begin, to: .now) }
    }

    private func fileName(of index: Int) -> String { queue?.fileName(of: index) ?? names[index] }

    private var baselineSeconds: Double? {
        // Every cell asks: looking at all cells would take quadratic time.
        cells.prefix(while: \.isBaseline).indices
            .filter { reports[$0].status == .passed }.map { reports[$0].durationSeconds }.median
    }

    private mutating func compareWithBaseline() {
        let here = baselineSeconds
        for index in reports.indices {
            let kind = earlier[index] ?? store?.machineKind
            reports[index].baselineSeconds =
                kind == store?.machineKind
                ? here : kind.flatMap { stored?.baselineSeconds(on: $0) }
        }
    }

    /// Since the matrix began.
    private var elapsedSeconds: Double {
        (ContinuousClock.now - beginning + offset) / .seconds(1)
    }

    // MARK: Reporting

    private var progress: MatrixProgress {
        let now = ContinuousClock.now
        let runningSince = Dictionary(
            running.map { ($0.index, $0.startedAt) }, uniquingKeysWith: { first, _ in first })
        let states = reports.indices.map { index -> MatrixProgress.CellState in
            let report = reports[index]
            let state: MatrixProgress.State =
                if let start = runningSince[index] {
                    .running(seconds: (now - start) / .seconds(1))
                } else if report.status == .notRun {
                    .waiting
                } else {
                    .ended(report.status, isFlaky: report.isFlaky)
                }
            let seconds = report.status == .notRun ? nil : report.durationSeconds
            return MatrixProgress.CellState(
                profile: report.profile, state: state, seconds: seconds)
        }
        return MatrixProgress(
            elapsedSeconds: (now - beginning) / .seconds(1), jobs: schedule.jobs, cells: states,
            earlierSeconds: earlierSeconds)
    }

}

/// Receives the progress of a matrix.
public protocol MatrixListener {
    /// An attempt at a cell has ended.
    ///
    /// - Parameters:
    ///   - lastLines: The last lines of the command's output.
    ///   - isLast: Whether the cell is done, without another attempt.
    ///   - done: How many cells are done.
    ///   - count: How many there are.
    func ended(_ cell: CellReport, lastLines: String, isLast: Bool, done: Int, of count: Int)

    /// A signal ends the matrix: running cells are told to end and will be reported.
    func interrupted()

    /// Time has passed, or something has happened.
    ///
    /// - Parameter progress: Computes the progress, which takes a while for many cells.
    func progress(_ progress: () -> MatrixProgress)
}
