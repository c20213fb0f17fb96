import FoundationEssentials
import Glibc
public import LinuxKernel
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
    private let cells: [Cell]
    private let planned: [Cell]
    private let directory: ReportDirectory?
    private let launcher: Launcher
    private let listener: Listener
    private let signals: SignalDescriptor
    private let fileNames: CellFileNames
    private let earlierSeconds: [String: Double]
    private let pattern: String?

    private var schedule: CellSchedule
    private var reports: [CellReport]
    private var running: [RunningCell] = []
    private var logFailures: [String: Errno] = [:]
    private var interruption: Int32?
    private let beginning = ContinuousClock.now
    private let startedAt = Date()
    private let initialJobs: Int
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
    ///   - directory: The directory for logs; nil: none.
    ///   - pattern: Which files of a cell are JUnit files; see `ReadableReports`.
    ///   - earlierSeconds: How long cells took in an earlier matrix, by profile.
    public init(
        command: [String], specification: MatrixSpecification, cells: [Cell], planned: [Cell],
        jobs: Int?, directory: ReportDirectory?, collecting pattern: String? = nil,
        launcher: Launcher, listener: Listener, earlierSeconds: [String: Double] = [:]
    ) throws(KernelError) {
        self.command = command
        self.specification = specification
        self.cells = cells
        self.planned = planned
        self.directory = directory
        self.launcher = launcher
        self.listener = listener
        self.earlierSeconds = earlierSeconds
        self.pattern = pattern
        fileNames = CellFileNames(cells)
        initialJobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
        schedule = CellSchedule(
            cells, retries: specification.retries, isFailFast: specification.isFailFast,
            unfaithfulRetry: specification.unfaithfulRetry ?? .failed,
            jobs: JobCount(initialJobs, isFixed: jobs != nil))
        reports = cells.map { cell in
            var report = CellReport(
                id: cell.id, profile: cell.profile, repetition: cell.repetition,
                isBaseline: cell.isBaseline, conditions: launcher.conditions(of: cell),
                seed: cell.seed,
                reproduce: specification.reproduction(of: cell, seed: cell.seed, command))
            report.scenario = cell.scenario?.name
            return report
        }
        signals = try SignalDescriptor(Self.interruptions + [SIGCHLD])
    }

    /// Whether the logs have all the output.
    public var hasWholeLogs: Bool { logFailures.isEmpty }

    /// Runs the cells and waits for them.
    ///
    /// - Returns: The report, and the signal that ended the matrix early, if one did.
    public mutating func run(shard: Shard? = nil) -> (report: MatrixReport, interruption: Int32?) {
        listener.progress { progress }
        while !schedule.isDone {
            startCells()
            waitForNews()
            judgeEnded()
            listener.progress { progress }
        }
        directory?.removeEmptyDirectories()
        let baselineSeconds = baselineSeconds
        for index in reports.indices { reports[index].baselineSeconds = baselineSeconds }
        let report = MatrixReport(
            command: command, specification: specification, startedAt: startedAt,
            durationSeconds: (ContinuousClock.now - beginning) / .seconds(1),
            isFinished: !schedule.isEnding, machine: machine, shard: shard,
            planned: planned,
            notes: [
                MatrixNotes.business(reports, jobs: schedule.jobs), MatrixNotes.logs(logFailures),
            ].compactMap(\.self),
            cells: reports)
        return (report, interruption)
    }

    // MARK: Starting

    private mutating func startCells() {
        while let (index, attempt, counted) = schedule.next() {
            let cell = cells[index]
            let seed = cell.seed(ofAttempt: counted)
            if attempt > 1 { reports[index].beginAgain() }
            reports[index].seed = seed
            reports[index].reproduce = specification.reproduction(of: cell, seed: seed, command)
            reports[index].startedSeconds = (ContinuousClock.now - beginning) / .seconds(1)
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
        let name = fileNames[cell] + (attempt == 1 ? "" : ".attempt-\(attempt)")
        var variables = specification.environment
        variables["LINKCOND_CELL"] = cell.id
        variables["LINKCOND_OUTPUT"] = try directory?.makeFilesDirectory(name)
        let log = try directory?.openLog(name)
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
        guard !running.isEmpty else { return }
        let timeout = running.compactMap(\.remaining).min().map { min($0, Self.tick) } ?? Self.tick
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
    private mutating func endAll(isPatient: Bool) {
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
            reports[cell.index].files = directory?.keepFilesDirectory(cell.name)
            if cell.wasEnded {
                reports[cell.index].problem =
                    interruption == nil ? "ended, since another cell failed" : "interrupted"
                _ = schedule.finish(cell.index, passed: true, wasFaithful: true)
            } else {
                conclude(cell.index, outcome, lastLines: cell.log.lastLines(20))
            }
            if let failure = cell.log.failure {
                logFailures[cells[cell.index].id] = failure
                reports[cell.index].notes.append("the log is not complete: \(failure)")
            }
        }
    }

    private mutating func conclude(_ index: Int, _ outcome: CellOutcome, lastLines: String) {
        reports[index].conclude(outcome, of: cells[index], baselineSeconds: baselineSeconds)
        if let files = reports[index].files,
            let tests = directory?.tests(in: files, collecting: pattern)
        {
            reports[index].list(tests)
            if specification.trustsExitCode != true { reports[index].expectNoFailures(in: tests) }
        }
        let passed = reports[index].status == .passed
        reports[index].isFlaky =
            passed && reports[index].earlierAttempts.contains { $0.isFaithful != false }
        let wasFaithful = reports[index].statistics?.isFaithful != false
        let decision = schedule.finish(
            index, passed: passed, wasFaithful: wasFaithful, idleShare: idleness.share())
        listener.ended(
            reports[index], lastLines: lastLines, isLast: decision != .retry,
            done: schedule.doneCount, of: cells.count)
        if decision == .endAll { endAll(isPatient: true) }
    }

    private var baselineSeconds: Double? {
        reports.filter { $0.isBaseline && $0.status == .passed }.map(\.durationSeconds).median
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

    private var machine: MatrixReport.Machine {
        let release = try? SmallFile.read("/proc/sys/kernel/osrelease")
        return MatrixReport.Machine(
            kernel: release?.split(separator: "\n").first.map(String.init) ?? "unknown",
            processors: ProcessInfo.processInfo.activeProcessorCount, jobs: initialJobs)
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
