import FoundationEssentials
import Glibc
import LinuxKernel
import Recording
import SystemPackage

/// Attempts that run beside each other, for features that decide one by one what runs next.
///
/// As in a matrix, each has its own process and its log, and dies with this process.
public struct CellPool {
    /// An attempt that has ended.
    public struct Ended {
        /// Its number.
        public let number: Int
        /// How it ended, as its process says.
        public let outcome: CellOutcome
        /// Its log, relative to the directory.
        public let log: LogFile?
        /// How long its process ran.
        public let seconds: Double
        /// Whether it was told to end, so that its end says nothing about the command.
        public let wasEnded: Bool
    }

    private let directory: ReportDirectory
    private let signals: SignalDescriptor
    private var running: [RunningCell] = []
    private var jobs: JobCount
    private var idleness = IdlenessMeter()
    /// The signal that asked this process to end; nil: none.
    public private(set) var interruption: Int32?

    /// Prepares. From here on, signals that would end the program are only noted.
    ///
    /// - Parameters:
    ///   - directory: Where the logs, and the files of the commands, go.
    ///   - jobs: How many run at once; nil: as many as the machine has time for.
    public init(in directory: ReportDirectory, jobs: Int?) throws {
        self.directory = directory
        try directory.makeDirectory(ReportDirectory.logsName)
        self.jobs = JobCount(jobs ?? JobCount.standard, isFixed: jobs != nil)
        signals = try SignalDescriptor([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD])
    }

    /// How many run.
    public var count: Int { running.count }

    /// Whether another may start.
    public var hasRoom: Bool { running.count < jobs.current }

    /// Starts an attempt.
    ///
    /// - Parameters:
    ///   - name: The base name of its files.
    ///   - launch: Starts its process with these variables.
    public mutating func start(
        _ number: Int, name: String, _ launch: ([String: String]) throws -> CellProcess
    ) throws {
        let variables = ["LINKCOND_OUTPUT": try directory.makeFilesDirectory(name)]
        let log = try directory.openLog(name)
        do {
            let child = try launch(variables)
            running.append(
                RunningCell(
                    index: number, name: name, child: child,
                    log: CellLog(log.file, path: log.name)))
        } catch {
            try? log.file.descriptor.close()
            throw error
        }
    }

    /// Waits for the end of attempts, or for other news.
    public mutating func wait(atMost limit: Duration) -> [Ended] {
        let timeout = running.compactMap(\.remaining).min().map { min($0, limit) } ?? limit
        let pipes = running.flatMap(\.descriptors)
        let ready = Readiness.wait(for: [signals.descriptor] + pipes, timeout: timeout)
        for index in running.indices {
            for pipe in running[index].descriptors where ready.contains(pipe) {
                running[index].read(pipe)
            }
            running[index].enforceDeadline()
        }
        while let signal = signals.next() {
            guard signal.number != SIGCHLD else { continue }
            endAll(isPatient: interruption == nil)
            interruption = interruption ?? signal.number
        }
        while let (process, end) = Process.reapAny() {
            for index in running.indices { running[index].note(end, of: process) }
        }
        return takeEnded()
    }

    /// Leaves the machine alone while nothing runs, until a signal asks this process to end.
    public mutating func rest(for pause: Duration) {
        let end = ContinuousClock.now + pause
        while interruption == nil, .now < end { _ = wait(atMost: end - .now) }
    }

    /// Tells all to end. A second request does not wait.
    public mutating func endAll(isPatient: Bool = true) {
        for index in running.indices { running[index].endCommand(isPatient: isPatient) }
    }

    /// Learns whether the machine had time for an attempt.
    public mutating func adapt(wasFaithful: Bool) {
        jobs.adapt(wasFaithful: wasFaithful, idleShare: idleness.share())
    }

    private mutating func takeEnded() -> [Ended] {
        let ended = running.indices.filter { running[$0].hasEnded }.map { position in
            let seconds = (ContinuousClock.now - running[position].startedAt) / .seconds(1)
            let (outcome, log) = running[position].finish()
            _ = directory.keepFilesDirectory(running[position].name)
            return Ended(
                number: running[position].index, outcome: outcome, log: log, seconds: seconds,
                wasEnded: running[position].wasEnded)
        }
        running.removeAll(where: \.hasEnded)
        directory.removeEmptyDirectories()
        return ended
    }
}
