import Glibc
import LinkModel
import LinuxKernel
import SystemPackage

/// A running attempt.
struct RunningCell {
    /// The index of the cell.
    let index: Int
    /// The base name of its files.
    let name: String
    let startedAt: ContinuousClock.Instant
    private(set) var log: CellLog
    private let child: CellProcess
    private var outcome: [UInt8] = []
    /// The file descriptors to wait for: the open pipes.
    private(set) var descriptors: [FileDescriptor]
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    /// How the process ended; nil while it runs.
    private var end: ProcessEnd?
    /// Whether it was told to end, so that its end says nothing about the command.
    private(set) var wasEnded = false
    /// When it must have ended after being told to.
    private var deadline: ContinuousClock.Instant?

    /// How long a command may take to end when told to.
    private static let patience = Duration.seconds(5)

    init(index: Int, name: String, child: CellProcess, log: CellLog) {
        self.index = index
        self.name = name
        self.child = child
        self.log = log
        startedAt = .now
        descriptors = [child.output, child.outcome]
    }

    /// How long to wait at most; nil: without limit.
    var remaining: Duration? { deadline.map { max(.zero, $0 - .now) } }

    /// Whether the process has ended.
    var hasEnded: Bool { end != nil }

    /// Reads from a readable pipe.
    mutating func read(_ pipe: FileDescriptor) {
        guard descriptors.contains(pipe) else { return }
        let count = (try? pipe.readSome(into: &buffer)) ?? 0
        guard count > 0 else {
            close(pipe)
            return
        }
        if pipe == child.output {
            log.append(buffer[..<count])
        } else {
            outcome += buffer[..<count]
        }
    }

    /// Records the end of a process, if it is this one.
    mutating func note(_ end: ProcessEnd, of process: Int32) {
        guard process == child.process else { return }
        self.end = end
        // Drain the pipes; the sandbox's processes are gone or about to be.
        for pipe in descriptors {
            while descriptors.contains(pipe), !Readiness.wait(for: [pipe], timeout: .zero).isEmpty {
                read(pipe)
            }
            close(pipe)
        }
    }

    /// Tells the command to end; a second call ends its grace period.
    mutating func endCommand(isPatient: Bool) {
        guard end == nil else { return }
        wasEnded = true
        Process.signal(isPatient ? SIGTERM : SIGKILL, to: child.process)
        deadline = isPatient ? .now + Self.patience : nil
    }

    /// Kills the process after its grace period.
    mutating func enforceDeadline() {
        guard let deadline, deadline <= .now else { return }
        endCommand(isPatient: false)
    }

    /// The process's final outcome, and the log.
    mutating func finish() -> (outcome: CellOutcome, file: LogFile?) {
        let file = log.finish()
        if let said = CellOutcome(json: outcome) { return (said, file) }
        var missing = CellOutcome()
        let text =
            switch end {
            case .killed(let signal): SignalName.name(of: signal) ?? "signal \(signal)"
            case .exited(let code): "exit code \(code)"
            case nil: "unknown"
            }
        missing.problem = "the sandbox ended before its command did (\(text))"
        return (missing, file)
    }

    private mutating func close(_ pipe: FileDescriptor) {
        guard let position = descriptors.firstIndex(of: pipe) else { return }
        descriptors.remove(at: position)
        try? pipe.close()
    }
}
