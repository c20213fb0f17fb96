import Glibc

/// The command's time limit, and what happens after it.
struct Deadline {
    /// The exit code that `timeout(1)` also returns.
    static let exitCode: Int32 = 124

    private enum Stage {
        case running, terminated, killed
    }

    private var stage = Stage.running
    private var end: ContinuousClock.Instant?

    /// Starts the time limit; nil: none.
    init(_ timeout: Duration?) {
        end = timeout.map { ContinuousClock.now + $0 }
    }

    /// How long until the next signal is due; nil: none will be.
    var remaining: Duration? { end.map { max(.zero, $0 - .now) } }

    /// Whether the command exceeded its time limit.
    var hasPassed: Bool { stage != .running }

    /// The command has ended: the result no longer changes.
    mutating func settle() { end = nil }

    /// The signal to send to the command now: a request to end, or SIGKILL after its grace period.
    mutating func signalDue() -> Int32? {
        guard let end, end <= .now else { return nil }
        switch stage {
        case .running:
            stage = .terminated
            self.end = .now + SandboxRequest.terminationPatience
            return SIGTERM
        case .terminated:
            stage = .killed
            self.end = nil
            return SIGKILL
        case .killed:
            return nil
        }
    }
}
